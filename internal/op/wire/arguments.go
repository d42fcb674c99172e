package wire

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/words"
)

// DecodeArgs reads the arguments of a tool into a value of e.In: one object, as InSchema describes it, where nothing at
// all stands for {}. It is as strict as Decode. A null is the same as an argument that is left out.
func (e *Endpoint) DecodeArgs(src []byte) (any, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}")
	}
	given := map[string]jsontext.Value{}
	if err := json.Unmarshal(src, &given); err != nil || given == nil {
		return nil, faulty("the arguments must be one object, without a name twice")
	}
	b := e.bound()
	if !b.own {
		if err := e.knownArgs(given); err != nil {
			return nil, err
		}
	}
	in := reflect.New(e.In)
	for _, p := range slices.Concat(b.path, b.query) {
		value, there := given[p.name]
		delete(given, p.name)
		text, err := argText(p.name, value)
		if err != nil {
			return nil, err
		}
		if text == "" && (p.required || slices.Contains(names(b.path), p.name)) {
			return nil, fault.Bad("the argument %s is required", p.name).WithMissing("argument "+p.name).WithHint("give %s", p.name)
		}
		if !there || value.Kind() == 'n' {
			continue
		}
		if err := p.set(in.Elem(), "the argument "+p.name, text); err != nil {
			return nil, err
		}
	}
	if !e.takesBody() {
		return in.Elem().Interface(), nil
	}
	body, err := json.Marshal(given, json.Deterministic(true))
	if err != nil {
		return nil, faulty("%v", err)
	}
	if b.own {
		err = in.Interface().(bodyReader).DecodeBody(body)
	} else {
		err = decodeBody(body, in.Interface())
	}
	return in.Elem().Interface(), err
}

// knownArgs refuses the first, by name, of the arguments that nobody reads.
func (e *Endpoint) knownArgs(given map[string]jsontext.Value) error {
	b := e.bound()
	allowed := slices.Concat(names(b.path), names(b.query))
	if e.takesBody() {
		allowed = append(allowed, fieldNames(e.In)...)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(allowed, name) {
			return fault.Bad("there is no argument %s", words.Quoted(name)).WithMissing("argument "+words.Quoted(name)).WithHint("%s", strict.Allowed(name, allowed))
		}
	}
	return nil
}

// argText returns an argument as it would stand in a path or query.
func argText(name string, v jsontext.Value) (string, error) {
	switch v.Kind() {
	case '"':
		var text string
		err := json.Unmarshal(v, &text)
		return text, err
	case '{', '[':
		return "", fault.Bad("the argument %s must be one value", name).WithMissing("argument " + name).WithHint("a text, a number, true or false")
	case 'n':
		return "", nil
	}
	return strings.TrimSpace(string(v)), nil
}
