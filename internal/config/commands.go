package config

import (
	"strconv"

	"tasker/internal/config/format"
	"tasker/internal/strict"
	"tasker/internal/task"
)

// Command is a command that the configuration can run.
type Command struct {
	Key     string `json:"key"`
	Command string `json:"command"`
	Origin
}

// Commands lists every command that a configuration can run (steps, providers, exec channels, gates) with the file and line
// that declares it, in the order of the declaration.
func Commands(e *Effective) []Command {
	out := []Command{}
	var look func(m strict.NodeMember, parent *strict.Node, k *format.Key, path string)
	look = func(m strict.NodeMember, parent *strict.Node, k *format.Key, path string) {
		n := m.Node
		if n == nil {
			return
		}
		if k.Runs == format.Always || k.Runs == format.OfTypeExec && parent.Get("type") != nil && parent.Get("type").Text == "exec" {
			out = append(out, Command{Key: path, Command: n.Text, Origin: originOf(m)})
		}
		if line, ok := task.CommandLine(n.Text); ok && k.Runs == format.AfterDollar && ofFile(n) {
			out = append(out, Command{Key: path, Command: line, Origin: originOf(m)})
		}
		for _, p := range k.Programs {
			if p.Value == n.Text {
				out = append(out, Command{Key: path, Command: p.Command, Origin: originOf(m)})
			}
		}
		for _, sub := range k.Keys {
			if c := n.Member(sub.Name); c != nil {
				look(*c, n, sub, strict.Join(path, sub.Name))
			}
		}
		if k.Type == format.Map {
			for _, c := range n.Members {
				look(c, n, k.Elem, strict.Join(path, c.Name))
			}
		}
		for i, item := range n.Items {
			look(strict.NodeMember{At: item.At, Node: item}, n, k.Elem, strict.At(path, i))
		}
	}
	look(strict.NodeMember{Node: e.merged}, nil, &format.Root, "")
	return out
}

// Where returns the file and line that declares a command, as people write it, or the layer if it is not in a file.
func (c Command) Where() string {
	switch {
	case c.File == nil:
		return string(c.Layer)
	case c.Line == nil:
		return *c.File
	}
	return *c.File + ":" + strconv.Itoa(*c.Line)
}

// StepKey returns the key of a step's command, in workspace.setup or workspace.teardown.
func StepKey(phase string, i int) string {
	return strict.Join(strict.At(strict.Join("workspace", phase), i), "run")
}

// ProviderKey returns the key of a provider; the keys of its commands start with it.
func ProviderKey(name string) string { return strict.Join("providers", name) }
