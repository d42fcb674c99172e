package config

import (
	"tasker/internal/config/format"
	"tasker/internal/config/tree"
)

// Command is a command that the configuration can run.
type Command struct {
	Key     string `json:"key"`
	Command string `json:"command"`
	Origin
}

// Commands lists every command that a configuration can run (steps, exec providers, exec channels) with the file and
// line that asks for it, in the order of the declaration.
func Commands(e *Effective) []Command {
	out := []Command{}
	var look func(m tree.Member, parent *tree.Node, k *format.Key, path string)
	look = func(m tree.Member, parent *tree.Node, k *format.Key, path string) {
		n := m.Node
		if n == nil {
			return
		}
		if k.Runs == format.Always || k.Runs == format.OfTypeExec && parent.Get("type") != nil && parent.Get("type").Text == "exec" {
			out = append(out, Command{Key: path, Command: n.Text, Origin: originOf(m)})
		}
		for _, sub := range k.Keys {
			if c := n.Member(sub.Name); c != nil {
				look(*c, n, sub, tree.Join(path, sub.Name))
			}
		}
		if k.Type == format.Map {
			for _, c := range n.Members {
				look(c, n, k.Elem, tree.Join(path, c.Name))
			}
		}
		for i, item := range n.Items {
			look(tree.Member{At: item.At, Node: item}, n, k.Elem, tree.At(path, i))
		}
	}
	look(tree.Member{Node: e.merged}, nil, &format.Root, "")
	return out
}
