package config

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Layer names where a value comes from. Later ones win.
type Layer string

// The layers, lowest first.
const (
	DefaultsLayer Layer = "defaults"
	DBLayer       Layer = "db"
	FileLayer     Layer = "file"
	LocalLayer    Layer = "local"
	EnvLayer      Layer = "env"
	FlagsLayer    Layer = "flags"
)

// source is a text that values were read from: a file, or with no file name another layer.
type source struct {
	layer Layer
	file  string
	text  []byte
}

// place counts the line and column (in characters) of a byte offset, both from 1.
func (s *source) place(offset int) (line, column int) {
	before := s.text[:min(offset, len(s.text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// kind is what a node holds.
type kind uint8

const (
	kNull kind = iota
	kBool
	kNumber
	kString
	kList
	kObject
)

// node is a JSON value that knows where it was written. A node is not changed once it has been read.
type node struct {
	kind    kind
	text    string // of a string its value, of a number or boolean its literal
	members []member
	items   []*node
	at, end int // byte offsets in src
	src     *source
}

// member is a name in an object with its value.
type member struct {
	name string
	at   int // of the name, in the value's source
	node *node
}

// get finds the value of a name, nil where there is none.
func (n *node) get(name string) *node {
	if m := n.member(name); m != nil {
		return m.node
	}
	return nil
}

func (n *node) member(name string) *member {
	if n == nil {
		return nil
	}
	for i := range n.members {
		if n.members[i].name == name {
			return &n.members[i]
		}
	}
	return nil
}

// find follows a path down; nil where it leads nowhere.
func (n *node) find(path []step) *node {
	for _, s := range path {
		switch {
		case n == nil:
			return nil
		case s.isIndex && n.kind == kList && s.index < len(n.items):
			n = n.items[s.index]
		case !s.isIndex && n.kind == kObject:
			n = n.get(s.name)
		default:
			return nil
		}
	}
	return n
}

// with returns a copy of an object with the name set, in its old place or at the end; nil for val takes it away.
func (n *node) with(name string, val *node) *node {
	out := *n
	out.members = nil
	found := false
	for _, m := range n.members {
		if m.name == name {
			found = true
			if val == nil {
				continue
			}
			m = member{name: name, at: val.at, node: val}
		}
		out.members = append(out.members, m)
	}
	if !found && val != nil {
		out.members = append(out.members, member{name: name, at: val.at, node: val})
	}
	return &out
}

// only returns a copy of an object with just the names that keep lets pass.
func (n *node) only(keep func(name string) bool) *node {
	out := *n
	out.members = nil
	for _, m := range n.members {
		if keep(m.name) {
			out.members = append(out.members, m)
		}
	}
	return &out
}

// append writes the value as compact JSON.
func (n *node) append(dst []byte) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.kind {
	case kBool, kNumber:
		return append(dst, n.text...)
	case kString:
		return quote(dst, n.text)
	case kList:
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	case kObject:
		dst = append(dst, '{')
		for i, m := range n.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(quote(dst, m.name), ':')
			dst = m.node.append(dst)
		}
		return append(dst, '}')
	default:
		return append(dst, "null"...)
	}
}

// value is the node as JSON text.
func (n *node) value() jsontext.Value { return n.append(nil) }

// quote appends s as a JSON string. Texts here are valid UTF-8: the parser lets nothing else in.
func quote(dst []byte, s string) []byte {
	out, err := jsontext.AppendQuote(dst, s)
	if err != nil { // invalid UTF-8 can only come from the environment or a flag
		out, _ = jsontext.AppendQuote(dst, string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD"))))
	}
	return out
}

// merge lays high over low: objects key by key, everything else is replaced whole.
func merge(low, high *node) *node {
	if low == nil {
		return high
	}
	if high == nil || low.kind != kObject || high.kind != kObject {
		if high == nil {
			return low
		}
		return high
	}
	over := make(map[string]member, len(high.members))
	for _, m := range high.members {
		over[m.name] = m
	}
	out := &node{kind: kObject, at: high.at, end: high.end, src: high.src, members: make([]member, 0, len(low.members)+len(high.members))}
	seen := make(map[string]bool, len(low.members))
	for _, m := range low.members {
		seen[m.name] = true
		if h, ok := over[m.name]; ok {
			m = member{name: m.name, at: h.at, node: merge(m.node, h.node)}
		}
		out.members = append(out.members, m)
	}
	for _, m := range high.members {
		if !seen[m.name] {
			out.members = append(out.members, m)
		}
	}
	return out
}
