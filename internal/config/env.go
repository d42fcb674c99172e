package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// override is one key that a variable or a flag sets.
type override struct {
	name  string // of the variable or flag, for refusals
	key   string
	value string
}

// fromEnv lists the overrides that the environment holds.
func fromEnv(o *Options) []override {
	var out []override
	walk(func(path string, k *Key) {
		if k.Env == "" {
			return
		}
		if v := o.env(k.Env); v != "" {
			out = append(out, override{name: k.Env, key: path, value: v})
		}
	})
	return out
}

func fromFlags(o *Options) []override {
	out := make([]override, 0, len(o.Flags))
	for _, f := range o.Flags {
		out = append(out, override{name: f.Name, key: f.Key, value: f.Value})
	}
	return out
}

// overlay makes a layer of overrides. A value that does not fit is a fault that names the variable or flag.
func overlay(l Layer, all []override) (*node, []Fault) {
	src := &source{layer: l}
	root := &node{kind: kObject, src: src}
	var faults []Fault
	for _, ov := range all {
		path, k, err := resolve(ov.key)
		if err == nil && !utf8.ValidString(ov.value) {
			err = fmt.Errorf("the value is not valid UTF-8")
		}
		if err != nil {
			faults = append(faults, Fault{Source: ov.name, Path: ov.key, Message: err.Error(), Allowed: []string{}})
			continue
		}
		val := fromText(src, k, ov.value)
		c := checker{src: src}
		c.value(val, k, ov.key)
		if strings.IndexByte(ov.value, 0) >= 0 {
			c.fault(0, ov.key, "the text contains U+0000, which no text here may")
		}
		for _, f := range c.faults {
			f.Source = ov.name
			faults = append(faults, f)
		}
		if len(c.faults) == 0 {
			root = root.put(path, val)
		}
	}
	return root, faults
}

// fromText makes a value of the declared type from what a person typed: texts as they stand, the rest as JSON. What
// is no JSON becomes a text, which the check then refuses with the words of the declaration.
func fromText(src *source, k *Key, typed string) *node {
	if k.Type != text {
		if n, faults := parse(&source{layer: src.layer, text: []byte(typed)}); n != nil && len(faults) == 0 {
			n.adopt(src)
			return n
		}
	}
	return &node{kind: kString, text: typed, src: src}
}

// adopt gives a whole tree to another source, in which it has no places.
func (n *node) adopt(src *source) {
	n.src, n.at, n.end = src, 0, 0
	for _, item := range n.items {
		item.adopt(src)
	}
	for i := range n.members {
		n.members[i].at = 0
		n.members[i].node.adopt(src)
	}
}

// put returns a copy of the tree with the value at a path of names; objects on the way are made.
func (n *node) put(path []step, val *node) *node {
	if len(path) == 0 {
		return val
	}
	child := n.get(path[0].name)
	if child == nil || child.kind != kObject {
		child = &node{kind: kObject, src: n.src}
	}
	return n.with(path[0].name, child.put(path[1:], val))
}
