package tree

import (
	"bytes"

	"tasker/internal/strict"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what a node holds.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// Node is a JSON value that knows where it was written. A node is not changed once it has been read.
type Node struct {
	Kind    Kind
	Text    string // of a string its value, of a number or boolean its literal
	Members []Member
	Items   []*Node
	At, End int // byte offsets in src
	Src     *Source
}

// Member is a name in an object with its value.
type Member struct {
	Name string
	At   int // of the name, in the value's source
	Node *Node
}

// Get returns the value of a name, nil where there is none.
func (n *Node) Get(name string) *Node {
	if m := n.Member(name); m != nil {
		return m.Node
	}
	return nil
}

// Member returns the member of a name, nil where there is none.
func (n *Node) Member(name string) *Member {
	if n == nil {
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return &n.Members[i]
		}
	}
	return nil
}

// Find follows a path down. It returns nil where the path leads nowhere.
func (n *Node) Find(path []Step) *Node {
	for _, s := range path {
		switch {
		case n == nil:
			return nil
		case s.IsIndex && n.Kind == List && s.Index < len(n.Items):
			n = n.Items[s.Index]
		case !s.IsIndex && n.Kind == Object:
			n = n.Get(s.Name)
		default:
			return nil
		}
	}
	return n
}

// FindMember is Find with the place of the name that leads to the value; for an element of a list its own place.
func (n *Node) FindMember(path []Step) *Member {
	parent := n.Find(path[:len(path)-1])
	last := path[len(path)-1]
	switch {
	case parent == nil:
		return nil
	case !last.IsIndex:
		return parent.Member(last.Name)
	case parent.Kind == List && last.Index < len(parent.Items):
		item := parent.Items[last.Index]
		return &Member{At: item.At, Node: item}
	default:
		return nil
	}
}

// With returns a copy of an object with the name set, in its old place or at the end; a nil val removes it.
func (n *Node) With(name string, val *Node) *Node {
	out := *n
	out.Members = nil
	found := false
	for _, m := range n.Members {
		if m.Name == name {
			found = true
			if val == nil {
				continue
			}
			m = Member{Name: name, At: val.At, Node: val}
		}
		out.Members = append(out.Members, m)
	}
	if !found && val != nil {
		out.Members = append(out.Members, Member{Name: name, At: val.At, Node: val})
	}
	return &out
}

// Only returns a copy of an object with just the names for which keep is true.
func (n *Node) Only(keep func(name string) bool) *Node {
	out := *n
	out.Members = nil
	for _, m := range n.Members {
		if keep(m.Name) {
			out.Members = append(out.Members, m)
		}
	}
	return &out
}

// Append writes the value as compact JSON.
func (n *Node) Append(dst []byte) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case Bool, Number:
		return append(dst, n.Text...)
	case String:
		return Quote(dst, n.Text)
	case List:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.Append(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i, m := range n.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(Quote(dst, m.Name), ':')
			dst = m.Node.Append(dst)
		}
		return append(dst, '}')
	default:
		return append(dst, "null"...)
	}
}

// Value is the node as JSON text.
func (n *Node) Value() jsontext.Value { return n.Append(nil) }

// Quote appends s as a JSON string. Texts here are valid UTF-8: the parser lets nothing else in.
func Quote(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil { // invalid UTF-8 can only come from the environment or a flag
		out, _ = jsontext.AppendQuote(dst, string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD"))))
	}
	return out
}

// Merge lays high over low: objects key by key, everything else is replaced whole.
func Merge(low, high *Node) *Node {
	if low == nil {
		return high
	}
	if high == nil || low.Kind != Object || high.Kind != Object {
		if high == nil {
			return low
		}
		return high
	}
	over := make(map[string]Member, len(high.Members))
	for _, m := range high.Members {
		over[m.Name] = m
	}
	out := &Node{Kind: Object, At: high.At, End: high.End, Src: high.Src, Members: make([]Member, 0, len(low.Members)+len(high.Members))}
	seen := make(map[string]bool, len(low.Members))
	for _, m := range low.Members {
		seen[m.Name] = true
		if h, ok := over[m.Name]; ok {
			m = Member{Name: m.Name, At: h.At, Node: Merge(m.Node, h.Node)}
		}
		out.Members = append(out.Members, m)
	}
	for _, m := range high.Members {
		if !seen[m.Name] {
			out.Members = append(out.Members, m)
		}
	}
	return out
}

// Adopt gives a whole tree to another source, in which it has no places.
func (n *Node) Adopt(src *Source) {
	n.Src, n.At, n.End = src, 0, 0
	for _, item := range n.Items {
		item.Adopt(src)
	}
	for i := range n.Members {
		n.Members[i].At = 0
		n.Members[i].Node.Adopt(src)
	}
}

// Put returns a copy of the tree with the value at a path of names; objects on the way are made.
func (n *Node) Put(path []Step, val *Node) *Node {
	if len(path) == 0 {
		return val
	}
	child := n.Get(path[0].Name)
	if child == nil || child.Kind != Object {
		child = &Node{Kind: Object, Src: n.Src}
	}
	return n.With(path[0].Name, child.Put(path[1:], val))
}

// Remove returns a copy of the tree without the value at a path of names, and without objects left empty by it.
func (n *Node) Remove(path []Step) *Node {
	child := n.Get(path[0].Name)
	if child == nil {
		return n
	}
	if len(path) == 1 {
		return n.With(path[0].Name, nil)
	}
	child = child.Remove(path[1:])
	if len(child.Members) == 0 {
		child = nil
	}
	return n.With(path[0].Name, child)
}

// All returns the members of an object, none of nil.
func (n *Node) All() []Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// Whole returns a whole number, however JSON writes it (120000, 1.2e5), exactly.
func (n *Node) Whole() (int64, bool) {
	if n == nil || n.Kind != Number {
		return 0, false
	}
	return strict.WholeNumber([]byte(n.Text))
}
