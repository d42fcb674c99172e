package strict

import (
	"cmp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Located is a Rule that reads Nodes.
type Located interface {
	// Read reads the next value. If it does not fit, Read notes why and returns false.
	Read(r *Reader) (*Node, bool)
	// Schema describes what fits.
	Schema() Members
}

// ReadNode reads a source as nodes, with its first faults; a last one counts the others. path is where the document is
// within a larger one. whole reports whether the text was JSON to its end.
func ReadNode(src *Source, path string, x Located) (n *Node, faults []Fault, whole bool) {
	r := newReader(src.Text)
	r.base, r.source = path, src
	n, _ = x.Read(r)
	if r.broken != nil {
		at, why := broken(r.src, r.broken)
		return n, append(r.counted(), Fault{Message: "not valid JSON: " + why, At: at}), false
	}
	r.tail()
	return n, r.counted(), true
}

// counted returns the listed faults, and a last one that stands for all others.
func (r *Reader) counted() []Fault {
	more := r.count - len(r.faults)
	if more == 0 {
		return r.faults
	}
	return append(r.faults, Fault{Message: "and " + strconv.Itoa(more) + " more from here on", At: r.Notes.rest, More: more})
}

// node returns the value that was read last, which is neither a list nor an object that fits.
func (r *Reader) node() *Node {
	if r.broken != nil {
		return &Node{}
	}
	n := &Node{At: r.here, End: r.dec.InputOffset(), Src: r.source}
	raw := jsontext.Value(r.src[n.At:n.End])
	n.Kind = raw.Kind()
	switch n.Kind {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, raw) // faults in it are already noted
		n.Text = string(text)
	case '0', 't', 'f':
		n.Text = string(raw)
	}
	return n
}

// Placed turns a rule for texts, numbers or booleans into a rule for nodes.
func Placed[V any](x Rule[V]) Located { return placed[V]{x} }

type placed[V any] struct{ Rule[V] }

func (x placed[V]) Read(r *Reader) (*Node, bool) {
	_, ok := x.Rule.Read(r)
	return r.node(), ok
}

// NodeObject is an object whose names are declared, by NodeProp.
type NodeObject struct{ Object[Node] }

// NodeProp declares a name of a NodeObject. If a name is given twice, the first counts.
func NodeProp(name, about string, must bool, x Located) Prop[Node] {
	return Prop[Node]{
		Name: name, About: about, Listed: must, Schema: x.Schema,
		Read: func(r *Reader, into *Node) {
			at := r.here
			value, _ := x.Read(r)
			if into.Get(name) == nil {
				into.Members = append(into.Members, NodeMember{Name: name, At: at, Node: value})
			}
		},
	}
}

// Read reads an object.
func (x *NodeObject) Read(r *Reader) (*Node, bool) {
	n := &Node{}
	ok := x.ReadAt(r, n)
	return r.close(n, '{'), ok
}

// close sets the position of a list or object that has just been read, or returns what was there instead.
func (r *Reader) close(n *Node, kind jsontext.Kind) *Node {
	if r.broken != nil {
		return n
	}
	if r.src[r.here] != byte(kind) {
		return r.node()
	}
	n.Kind, n.At, n.End, n.Src = kind, r.here, r.dec.InputOffset(), r.source
	return n
}

// NodeTable is an object with names of the user's own.
type NodeTable struct {
	Name   Text[string]
	Value  Located
	Max    int    // 0: no limit
	Called string // what a refusal says it must be
}

// Read reads an object.
func (x NodeTable) Read(r *Reader) (*Node, bool) {
	n := &Node{}
	ok := r.members(x.Called, x.Max, func(name string, at int64, twice bool) {
		x.Name.Check(&r.Notes, name)
		value, _ := x.Value.Read(r)
		if !twice {
			n.Members = append(n.Members, NodeMember{Name: name, At: at, Node: value})
		}
	})
	return r.close(n, '{'), ok
}

// Schema describes the names and values.
func (x NodeTable) Schema() Members {
	m := Members{{"type", "object"}, {"propertyNames", x.Name.Schema()}, {"additionalProperties", x.Value.Schema()}}
	if x.Max > 0 {
		m = append(m, Member{"maxProperties", x.Max})
	}
	return m
}

// NodeList is a list of up to Max items, or of exactly Len.
type NodeList struct {
	Item   Located
	Max    int // 0: no limit
	Len    int
	Called string // what a refusal says it must be
}

// Read reads every item.
func (x NodeList) Read(r *Reader) (*Node, bool) {
	n := &Node{}
	ok := r.items(x.Called, 0, x.Max, func() {
		item, _ := x.Item.Read(r)
		n.Items = append(n.Items, item)
	})
	if n = r.close(n, '['); ok && x.Len > 0 && len(n.Items) != x.Len {
		r.Note("must be %s, not a list of %d", x.Called, len(n.Items))
		ok = false
	}
	return n, ok
}

// Schema describes the items.
func (x NodeList) Schema() Members { return listOf(x.Item.Schema(), x.Len, cmp.Or(x.Len, x.Max)) }

// Anything is any value.
type Anything struct{}

// Read accepts any value.
func (x Anything) Read(r *Reader) (*Node, bool) {
	switch r.next() {
	case '{':
		return NodeTable{Value: x}.Read(r)
	case '[':
		return NodeList{Item: x}.Read(r)
	case '"':
		return Placed(Text[string]{}).Read(r)
	case 0:
		r.delimiter() // to find out what is wrong
		return &Node{}, false
	default:
		r.raw()
		return r.node(), r.broken == nil
	}
}

// Schema allows everything.
func (Anything) Schema() Members { return Members{} }
