package config

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config/format"
	"tasker/internal/strict"
)

// override is one key that a variable or a flag sets.
type override struct {
	name  string // of the variable or flag, for refusals
	key   string
	value string
}

// fromEnv lists the overrides in the environment.
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

// overlay turns overrides into a layer. A value that does not fit is a fault that names the variable or flag.
func overlay(l strict.Layer, all []override) (*strict.Node, []format.Fault) {
	src := &strict.Source{Layer: l}
	root := &strict.Node{Kind: '{', Src: src}
	var faults []format.Fault
	for _, ov := range all {
		path, k, err := format.Resolve(ov.key)
		if err == nil && !utf8.ValidString(ov.value) {
			err = fmt.Errorf("the value is not valid UTF-8")
		}
		if err != nil {
			faults = append(faults, format.Fault{Source: ov.name, Path: ov.key, Message: err.Error(), Allowed: []string{}})
			continue
		}
		val, found := fromText(src, k, ov.key, ov.value)
		for _, f := range found {
			f.Source = ov.name
			faults = append(faults, f)
		}
		if len(found) == 0 {
			root = root.Put(path, val)
		}
	}
	return root, faults
}

// fromText turns what a person typed into a value of the declared type: texts verbatim, the rest as JSON. Input that is
// not JSON becomes a text, which the check then refuses as the declaration words it.
func fromText(src *strict.Source, k *format.Key, key, typed string) (*strict.Node, []format.Fault) {
	text := []byte(typed)
	if k.Type == format.Text || !jsontext.Value(text).IsValid() {
		text = strict.Quote(nil, typed)
	}
	n, faults := format.ReadValue(&strict.Source{Layer: src.Layer, Text: text}, k, key)
	if n != nil {
		n.Adopt(src)
	}
	return n, faults
}
