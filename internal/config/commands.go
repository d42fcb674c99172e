package config

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
	var look func(m member, parent *node, k *Key, path string)
	look = func(m member, parent *node, k *Key, path string) {
		n := m.node
		if n == nil {
			return
		}
		if k.Runs == always || k.Runs == ofTypeExec && parent.get("type") != nil && parent.get("type").text == "exec" {
			out = append(out, Command{Key: path, Command: n.text, Origin: m.origin()})
		}
		for _, sub := range k.Keys {
			if c := n.member(sub.Name); c != nil {
				look(*c, n, sub, join(path, sub.Name))
			}
		}
		if k.Type == mapping {
			for _, c := range n.members {
				look(c, n, k.Elem, join(path, c.name))
			}
		}
		for i, item := range n.items {
			look(member{at: item.at, node: item}, n, k.Elem, at(path, i))
		}
	}
	look(member{node: e.merged}, nil, &format, "")
	return out
}
