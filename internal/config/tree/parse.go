package tree

import (
	"bytes"

	"tasker/internal/strict"
)

// MaxSize bounds a configuration file.
const MaxSize = 1 << 20

// Parse reads the one JSON value of a source, whatever it is, into a tree that knows its places.
func Parse(src *Source) (*Node, []Fault) { return Read(src, "", strict.Anything{}) }

// Read reads a source by a declaration into a tree that knows its places. path is where the value stands in the
// configuration. The tree is nil where the text is no JSON at all; faults that leave it readable are returned beside it.
func Read(src *Source, path string, declared strict.Located) (*Node, []Fault) {
	switch text := src.Text; {
	case len(text) > MaxSize:
		return nil, []Fault{NewFault(src, MaxSize, "", "the file is larger than 1 MiB")}
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return nil, []Fault{NewFault(src, 0, "", "the file starts with a byte order mark; save it as UTF-8 without one")}
	case len(bytes.TrimSpace(text)) == 0:
		return nil, []Fault{NewFault(src, 0, "", `the file is empty; the smallest one is {"version": 1, "project": "…"}`)}
	}
	root, found, whole := strict.ReadNode(src.Text, path, declared)
	var faults []Fault
	for _, f := range found {
		faults = append(faults, faultOf(src, f))
	}
	if !whole {
		return nil, faults
	}
	return nodeOf(src, root), faults
}

// nodeOf returns a value as part of a source.
func nodeOf(src *Source, from *strict.Node) *Node {
	n := &Node{Text: from.Text, At: int(from.At), End: int(from.End), Src: src}
	switch from.Kind {
	case 't', 'f':
		n.Kind = Bool
	case '0':
		n.Kind = Number
	case '"':
		n.Kind = String
	case '[':
		n.Kind = List
	case '{':
		n.Kind = Object
	}
	for _, item := range from.Items {
		n.Items = append(n.Items, nodeOf(src, item))
	}
	for _, m := range from.Members {
		n.Members = append(n.Members, Member{Name: m.Name, At: int(m.At), Node: nodeOf(src, m.Node)})
	}
	return n
}
