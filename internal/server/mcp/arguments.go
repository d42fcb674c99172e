package mcp

import (
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/op"
)

// arguments are those of a call.
type arguments struct {
	src   []byte                    // as the client sent them; nil if they were changed
	given map[string]jsontext.Value // by name; nil if they are not one object, and then the decoder says what is wrong
}

func argumentsOf(src []byte) arguments {
	a := arguments{src: src, given: map[string]jsontext.Value{}}
	if len(src) > 0 && json.Unmarshal(src, &a.given) != nil {
		a.given = nil
	}
	return a
}

// with returns the arguments with one more, or with another value.
func (a arguments) with(name string, value jsontext.Value) arguments {
	given := maps.Clone(a.given)
	given[name] = value
	return arguments{given: given}
}

// without returns the arguments except one.
func (a arguments) without(name string) arguments {
	given := maps.Clone(a.given)
	delete(given, name)
	return arguments{given: given}
}

// withoutActor returns the arguments without one that names who acts, and whether there was one, if the tool ignores it.
func (a arguments) withoutActor(o *op.Op) (rest arguments, ignored bool) {
	if !a.has("actor") || !o.IgnoresActor() {
		return a, false
	}
	return a.without("actor"), true
}

// has reports whether an argument is given.
func (a arguments) has(name string) bool {
	_, given := a.given[name]
	return given
}

// text returns an argument that is a text, or "": the decoder refuses another value.
func (a arguments) text(name string) (text string) {
	if json.Unmarshal(a.given[name], &text) != nil {
		return ""
	}
	return text
}

// quoted returns a text as a value.
func quoted(text string) jsontext.Value {
	value, _ := jsontext.AppendQuote(nil, text) // names of projects and tasks need no escaping
	return value
}

// flag takes an argument that is true or false, if it is given.
func (a arguments) flag(name string) (set bool, rest arguments, err error) {
	switch text := string(a.given[name]); text {
	case "":
		return false, a, nil
	case "true", "false", "null":
		return text == "true", a.without(name), nil
	}
	return false, a, fault.Bad("the argument %s must be true or false", name).WithMissing("argument " + name).WithHint("write true or false")
}

// object refuses arguments that are not one object, and says what to give.
func (a arguments) object(give string) error {
	if a.given == nil {
		return fault.Bad("the arguments must be one object, without a name twice").WithHint("%s", give)
	}
	return nil
}

// decode returns the input of an operation.
func (a arguments) decode(o *op.Op) (any, error) {
	src := a.src
	if src == nil && len(a.given) > 0 {
		var err error
		if src, err = json.Marshal(a.given, json.Deterministic(true)); err != nil {
			return nil, err
		}
	}
	return o.DecodeArgs(src)
}
