package strict

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Node is a JSON value that knows its position in its text, for documents that are merged, shown and changed as they
// were written. Kind is the kind of its first token: n t f 0 " [ {. A node does not change after it has been read.
type Node struct {
	Kind    jsontext.Kind
	Text    string // the value of a string, the literal of a number or boolean
	Members []NodeMember
	Items   []*Node
	At, End int64 // offsets in the text
	Src     *Source
}

// NodeMember is a name in an object with its value.
type NodeMember struct {
	Name string
	At   int64 // of the name, in the value's source
	Node *Node
}

// Source is a text that nodes were read from: a file, or, without a file name, another layer.
type Source struct {
	Layer Layer
	File  string
	Text  []byte
	// Recorded is when the text was recorded from the file; empty if it is the file's own.
	Recorded string

	once  sync.Once
	marks []mark // at each step of markEvery bytes
}

// Layer names one of the documents that are merged.
type Layer string

// mark is the place of an offset.
type mark struct{ line, column int }

const markEvery = 4 << 10

// Place returns the line and column (in characters) of a byte offset, both counted from 1. It counts from the last mark
// before the offset, so that a text of one long line with a thousand faults is not counted through a thousand times.
func (s *Source) Place(offset int64) (line, column int) {
	at := int(max(0, min(offset, int64(len(s.Text)))))
	if at < markEvery {
		return Place(s.Text, offset)
	}
	s.once.Do(s.mark)
	from := at / markEvery
	return s.marks[from].on(s.Text[from*markEvery : at])
}

// mark counts through the text once.
func (s *Source) mark() {
	at := mark{1, 1}
	for from := 0; ; from += markEvery {
		s.marks = append(s.marks, at)
		if from+markEvery > len(s.Text) {
			return
		}
		at.line, at.column = at.on(s.Text[from : from+markEvery])
	}
}

// on returns the place after a piece of text that begins at the mark. A character that two pieces share counts with the
// piece in which it begins.
func (m mark) on(piece []byte) (line, column int) {
	if last := bytes.LastIndexByte(piece, '\n'); last >= 0 {
		m.line, m.column, piece = m.line+bytes.Count(piece, []byte{'\n'}), 1, piece[last+1:]
	}
	for _, b := range piece {
		if utf8.RuneStart(b) {
			m.column++
		}
	}
	return m.line, m.column
}

// Get returns the value of a name, or nil.
func (n *Node) Get(name string) *Node {
	if m := n.Member(name); m != nil {
		return m.Node
	}
	return nil
}

// Member returns the member of a name, or nil.
func (n *Node) Member(name string) *NodeMember {
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

// Find follows a path down. It returns nil if the path leads nowhere.
func (n *Node) Find(path []Step) *Node {
	if m := n.FindMember(path); m != nil {
		return m.Node
	}
	return nil
}

// FindMember is Find with the position of the name that leads to the value; for an element of a list, its own position.
func (n *Node) FindMember(path []Step) *NodeMember {
	m := &NodeMember{Node: n}
	for _, s := range path {
		if m = m.Node.step(s); m == nil {
			return nil
		}
	}
	return m
}

// step follows one part of a path.
func (n *Node) step(s Step) *NodeMember {
	switch {
	case !s.IsIndex:
		return n.Member(s.Name)
	case n == nil || s.Index >= len(n.Items):
		return nil
	}
	return &NodeMember{At: n.Items[s.Index].At, Node: n.Items[s.Index]}
}

// With returns a copy of an object with the name set, at its old position or at the end; a nil val removes it.
func (n *Node) With(name string, val *Node) *Node {
	if val == nil {
		return n.Only(func(other string) bool { return other != name })
	}
	out, member := *n, NodeMember{Name: name, At: val.At, Node: val}
	out.Members = slices.Clone(n.Members)
	if old := out.Member(name); old != nil {
		*old = member
	} else {
		out.Members = append(out.Members, member)
	}
	return &out
}

// Only returns a copy of an object with just the names for which keep is true.
func (n *Node) Only(keep func(name string) bool) *Node {
	out := *n
	out.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m NodeMember) bool { return !keep(m.Name) })
	return &out
}

// Append writes the value as compact JSON.
func (n *Node) Append(dst []byte) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case 't', 'f', '0':
		return append(dst, n.Text...)
	case '"':
		return Quote(dst, n.Text)
	case '[':
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.Append(dst)
		}
		return append(dst, ']')
	case '{':
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

// Value returns the node as JSON text.
func (n *Node) Value() jsontext.Value { return n.Append(nil) }

// Quote appends s as a JSON string. Texts here are valid UTF-8: the parser accepts nothing else.
func Quote(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil { // invalid UTF-8 can only come from the environment or a flag
		out, _ = jsontext.AppendQuote(dst, string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD"))))
	}
	return out
}

// Merge merges high over low: objects key by key, everything else is replaced as a whole.
func Merge(low, high *Node) *Node {
	if high == nil {
		return low
	}
	if low == nil || low.Kind != '{' || high.Kind != '{' {
		return high
	}
	at := make(map[string]int, len(low.Members))
	for i, m := range low.Members {
		at[m.Name] = i
	}
	out := &Node{Kind: '{', At: high.At, End: high.End, Src: high.Src, Members: slices.Clone(low.Members)}
	for _, m := range high.Members {
		if i, both := at[m.Name]; both {
			out.Members[i] = NodeMember{Name: m.Name, At: m.At, Node: Merge(low.Members[i].Node, m.Node)}
		} else {
			out.Members = append(out.Members, m)
		}
	}
	return out
}

// Adopt moves a whole tree to another source, in which it has no positions.
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

// Put returns a copy of the tree with the value at a path of names; missing objects on the way are created.
func (n *Node) Put(path []Step, val *Node) *Node {
	if len(path) == 0 {
		return val
	}
	child := n.Get(path[0].Name)
	if child == nil || child.Kind != '{' {
		child = &Node{Kind: '{', Src: n.Src}
	}
	return n.With(path[0].Name, child.Put(path[1:], val))
}

// Remove returns a copy of the tree without the value at a path of names, and without the objects that become empty.
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

// Plain returns the Text of a node, and "" for nil.
func (n *Node) Plain() string {
	if n == nil {
		return ""
	}
	return n.Text
}

// All returns the members of an object, and none for nil.
func (n *Node) All() []NodeMember {
	if n == nil {
		return nil
	}
	return n.Members
}

// Whole returns the exact value of a whole number, however JSON writes it (120000, 1.2e5).
func (n *Node) Whole() (int64, bool) {
	if n == nil || n.Kind != '0' {
		return 0, false
	}
	return WholeNumber([]byte(n.Text))
}
