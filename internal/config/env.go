package config

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config/format"
	"tasker/internal/strict"
)

// fromEnv lists the variables of the environment that set a key, as if they were flags.
func fromEnv(o *Options) []Flag {
	var out []Flag
	format.Walk(func(path string, k *format.Key) {
		if v := o.env(k.Env); k.Env != "" && v != "" {
			out = append(out, Flag{Name: k.Env, Key: path, Value: v})
		}
	})
	return out
}

// overlay turns flags into a layer. A value that does not fit is a fault that names the flag.
func overlay(l strict.Layer, all []Flag) (*strict.Node, []format.Fault) {
	src := &strict.Source{Layer: l}
	root := &strict.Node{Kind: '{', Src: src}
	var faults []format.Fault
	for _, f := range all {
		path, k, err := format.Resolve(f.Key)
		if err == nil && !utf8.ValidString(f.Value) {
			err = fmt.Errorf("the value is not valid UTF-8")
		}
		if err != nil {
			faults = append(faults, format.Fault{Source: f.Name, Path: f.Key, Message: err.Error(), Allowed: []string{}})
			continue
		}
		val, found := fromText(src, k, f.Key, f.Value)
		for i := range found {
			found[i].Source = f.Name
		}
		faults = append(faults, found...)
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
