package wire

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/core/picture"
	"tasker/internal/task"
)

// Schemas are made from the Go types when somebody asks for them, and never before.

// InSchema returns the JSON Schema of everything the operation takes, in one object: what a tool is called with.
func (e *Endpoint) InSchema() (*jsonschema.Schema, error) {
	body, err := e.bodySchema(nil)
	if err != nil {
		return nil, err
	}
	if body == nil {
		body = &jsonschema.Schema{Type: "object", AdditionalProperties: never()}
	}
	if body.Properties == nil {
		body.Properties = map[string]*jsonschema.Schema{}
	}
	b := e.bound()
	for _, p := range slices.Concat(b.path, b.query) {
		if _, there := body.Properties[p.name]; there {
			continue // it may travel in the body too
		}
		body.Properties[p.name] = e.paramSchema(p)
		if p.required || slices.Contains(names(b.path), p.name) {
			body.Required = append(body.Required, p.name)
		}
	}
	return body, nil
}

// OutSchema returns the JSON Schema of what the operation answers.
func (e *Endpoint) OutSchema() (*jsonschema.Schema, error) { return answerSchema(e.Out, nil) }

// bodySchema returns the schema of the body alone, nil where there is none. Types in refs are referred to.
func (e *Endpoint) bodySchema(refs map[reflect.Type]*jsonschema.Schema) (*jsonschema.Schema, error) {
	if !e.takesBody() {
		return nil, nil
	}
	if own, ok := reflect.Zero(e.In).Interface().(bodyDescriber); ok {
		return declared(own.BodySchema())
	}
	s, err := typeSchema(e.In, refs)
	if err != nil {
		return nil, err
	}
	for name, p := range s.Properties {
		describe(p, e.In.Name(), name)
	}
	return s, nil
}

// declared reads a schema that an input wrote itself.
func declared(src []byte) (*jsonschema.Schema, error) {
	var s jsonschema.Schema
	if err := s.UnmarshalJSON(src); err != nil {
		return nil, fmt.Errorf("read the schema of a body: %w", err)
	}
	s.Schema = ""
	return &s, nil
}

func (e *Endpoint) paramSchema(p param) *jsonschema.Schema {
	var s jsonschema.Schema
	switch p.kind {
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.String:
		s.Type = "string"
	default:
		s.Type = "integer"
	}
	describe(&s, e.In.Name(), p.name)
	return &s
}

// answerSchema returns the schema of a type that is answered: it may grow members later, and is never null itself.
func answerSchema(t reflect.Type, refs map[reflect.Type]*jsonschema.Schema) (*jsonschema.Schema, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, err := typeSchema(t, refs)
	if err != nil {
		return nil, err
	}
	walkSchema(s, func(s *jsonschema.Schema) {
		if s.Properties != nil {
			s.AdditionalProperties = nil
		}
	})
	return s, nil
}

// typeSchema returns the schema of how we write the type: a list without elements is [], never null.
func typeSchema(t reflect.Type, refs map[reflect.Type]*jsonschema.Schema) (*jsonschema.Schema, error) {
	known := maps.Clone(basics())
	maps.Copy(known, refs)
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, fmt.Errorf("make a schema of %s: %w", t, err)
	}
	walkSchema(s, func(s *jsonschema.Schema) {
		if slices.Equal(s.Types, []string{"null", "array"}) {
			s.Type, s.Types = "array", nil
		}
		if s.Items != nil && s.Items.Ref != "" {
			s.Items.Types = nil // no list of ours holds a null
		}
		if s.Ref != "" && len(s.Types) > 0 { // a pointer at what is referred to
			*s = jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Ref: s.Ref}, {Type: "null"}}}
		}
	})
	return s, nil
}

// walkSchema visits the schema and everything in it that ForType makes.
func walkSchema(s *jsonschema.Schema, visit func(*jsonschema.Schema)) {
	todo := []*jsonschema.Schema{s}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s == nil {
			continue
		}
		visit(s)
		todo = append(todo, s.Items, s.AdditionalProperties)
		for _, p := range s.Properties {
			todo = append(todo, p)
		}
	}
}

func never() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// basics are the types whose form on the wire their Go kind does not tell.
var basics = sync.OnceValue(func() map[reflect.Type]*jsonschema.Schema {
	one, four := 1.0, float64(task.MaxSeverity)
	return map[reflect.Type]*jsonschema.Schema{
		// Nested in itself, which the inference cannot say.
		reflect.TypeFor[picture.Node](): {
			Type: "object", Description: "A task below, with its own children nested in it",
			Required: []string{"id", "title", "status", "holder", "criteria", "children", "truncated"},
		},
		reflect.TypeFor[task.Time]():      {Types: []string{"string", "null"}, Format: "date-time"},
		reflect.TypeFor[task.Opt]():       {Types: []string{"string", "null"}},
		reflect.TypeFor[task.Severity]():  {Types: []string{"integer", "null"}, Minimum: &one, Maximum: &four},
		reflect.TypeFor[task.Status]():    {Type: "string", Enum: anys(task.Statuses)},
		reflect.TypeFor[task.SelectKey](): {Type: "string", Enum: anys(task.DefaultSelection)},
		reflect.TypeFor[task.Kind]():      {Type: "string"},
		reflect.TypeFor[task.ID]():        {Type: "string"},
		reflect.TypeFor[jsontext.Value](): {Type: "object"},
	}
})

func anys[T ~string](in []T) []any {
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}

// component returns the name of a struct type in an OpenAPI document, empty for what is written in place.
func component(t reflect.Type) string {
	if t.Kind() != reflect.Struct || t.Name() == "" || strings.Contains(t.Name(), "[") || t.NumField() == 0 {
		return ""
	}
	return t.Name()
}

// components returns every struct type below the roots, by name.
func components(roots []reflect.Type) (map[string]reflect.Type, error) {
	found := map[string]reflect.Type{}
	seen := map[reflect.Type]bool{}
	for len(roots) > 0 {
		t := roots[len(roots)-1]
		roots = roots[:len(roots)-1]
		if seen[t] || basics()[t] != nil {
			continue
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			roots = append(roots, t.Elem())
		case reflect.Struct:
			if name := component(t); name != "" {
				if other, taken := found[name]; taken {
					return nil, fmt.Errorf("%s and %s would share a name in the OpenAPI document", t, other)
				}
				found[name] = t
			}
			for i := range t.NumField() {
				if f := t.Field(i); jsonName(f) != "" {
					roots = append(roots, f.Type)
				}
			}
		}
	}
	return found, nil
}
