package config

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"tasker/internal/config/format"
	"tasker/internal/config/tree"
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
	format.Walk(func(path string, k *format.Key) {
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
func overlay(l tree.Layer, all []override) (*tree.Node, []tree.Fault) {
	src := &tree.Source{Layer: l}
	root := &tree.Node{Kind: tree.Object, Src: src}
	var faults []tree.Fault
	for _, ov := range all {
		path, k, err := format.Resolve(ov.key)
		if err == nil && !utf8.ValidString(ov.value) {
			err = fmt.Errorf("the value is not valid UTF-8")
		}
		if err != nil {
			faults = append(faults, tree.Fault{Source: ov.name, Path: ov.key, Message: err.Error(), Allowed: []string{}})
			continue
		}
		val := fromText(src, k, ov.value)
		c := format.Checker{Source: src}
		c.Value(val, k, ov.key)
		if strings.IndexByte(ov.value, 0) >= 0 {
			c.Fault(0, ov.key, "the text contains U+0000, which no text here may")
		}
		for _, f := range c.Faults {
			f.Source = ov.name
			faults = append(faults, f)
		}
		if len(c.Faults) == 0 {
			root = root.Put(path, val)
		}
	}
	return root, faults
}

// fromText makes a value of the declared type from what a person typed: texts as they stand, the rest as JSON. What
// is no JSON becomes a text, which the check then refuses with the words of the declaration.
func fromText(src *tree.Source, k *format.Key, typed string) *tree.Node {
	if k.Type != format.Text {
		if n, faults := tree.Parse(&tree.Source{Layer: src.Layer, Text: []byte(typed)}); n != nil && len(faults) == 0 {
			n.Adopt(src)
			return n
		}
	}
	return &tree.Node{Kind: tree.String, Text: typed, Src: src}
}
