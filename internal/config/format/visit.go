package format

import "tasker/internal/strict"

// Place is a value of a configuration with its declaration.
type Place struct {
	strict.NodeMember
	Key  *Key
	Path string
	In   *Place // the object, mapping or list that it is in; nil for the root
}

// Visit calls visit for a configuration and for everything declared in it, parents first, in the order of the
// declaration. What is below a value for which visit returns false is skipped.
func Visit(root *strict.Node, visit func(Place) bool) {
	var walk func(p Place)
	walk = func(p Place) {
		if p.Node == nil || !visit(p) {
			return
		}
		for _, sub := range p.Key.Keys {
			if m := p.Node.Member(sub.Name); m != nil {
				walk(Place{*m, sub, strict.Join(p.Path, sub.Name), &p})
			}
		}
		if p.Key.Type == Map {
			for _, m := range p.Node.Members {
				walk(Place{m, p.Key.Elem, strict.Join(p.Path, m.Name), &p})
			}
		}
		if p.Key.Type == List {
			for i, item := range p.Node.Items {
				walk(Place{strict.NodeMember{At: item.At, Node: item}, p.Key.Elem, strict.At(p.Path, i), &p})
			}
		}
	}
	walk(Place{NodeMember: strict.NodeMember{Node: root}, Key: &Root})
}
