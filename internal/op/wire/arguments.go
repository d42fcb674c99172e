package wire

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/strict"
)

// DecodeArgs reads the arguments of a tool into a value of e.In: one object, as InSchema describes it; empty input
// stands for {}. It is as strict as Decode. A null means the same as leaving an argument out.
func (e *Endpoint) DecodeArgs(src []byte) (any, error) {
	if len(bytes.TrimSpace(src)) == 0 {
		src = []byte("{}")
	}
	in := reflect.New(e.In)
	v := in.Elem()
	if e.bound().own {
		return e.splitArgs(src, in)
	}
	if err := strict.DecodeInto(src, "the call", e.bound().arguments(), &v); err != nil {
		return nil, err
	}
	return v.Interface(), nil
}

// arguments declares everything that an operation takes as the members of one object.
func (b *binding) arguments() *strict.Object[reflect.Value] {
	out := &strict.Object[reflect.Value]{}
	for _, p := range b.params() {
		out.Props = append(out.Props, p.argument())
	}
	if b.body != nil {
		out.Props = append(out.Props, b.body.Props...)
	}
	return out
}

// argument declares a parameter as the member of an object.
func (p *param) argument() strict.Prop[reflect.Value] {
	return strict.Prop[reflect.Value]{
		Name: p.name, Must: p.required,
		Read: func(r *strict.Reader, into *reflect.Value) {
			text, ok := strict.Scalar{}.Read(r)
			switch {
			case !ok:
			case text == "" && p.required:
				r.Note("is required")
			case text != "":
				if why, _ := p.set(*into, text); why != "" {
					r.Note("%s", why)
				}
			}
		},
	}
}

// splitArgs reads the arguments of an operation whose input reads its body itself: everything that is not a parameter
// is its body.
func (e *Endpoint) splitArgs(src []byte, in reflect.Value) (any, error) {
	given := map[string]jsontext.Value{}
	if err := json.Unmarshal(src, &given); err != nil || given == nil {
		return nil, fault.Bad("the arguments must be one object, without a name twice").WithHint("correct the call; nothing was written")
	}
	params, asked := map[string]jsontext.Value{}, &strict.Object[reflect.Value]{}
	for _, p := range e.bound().params() {
		asked.Props = append(asked.Props, p.argument())
		if value, there := given[p.name]; there {
			params[p.name] = value
			delete(given, p.name)
		}
	}
	first, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	v := in.Elem()
	if err := strict.DecodeInto(first, "the call", asked, &v); err != nil {
		return nil, err
	}
	body, err := json.Marshal(given, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	err = in.Interface().(bodyReader).DecodeBody(body)
	return v.Interface(), err
}

// params returns the fields in the path or the query.
func (b *binding) params() []param { return slices.Concat(b.path, b.query) }
