package wire

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"tasker/internal/strict"
)

// Schemas are made from the Go types on demand, never before.

// InSchema returns the JSON Schema of everything the operation takes, in one object: the arguments of a tool.
func (e *Endpoint) InSchema() strict.Members {
	var props strict.Members
	var required []any
	body := e.bodySchema(nil)
	if body != nil {
		props, _ = body.Get("properties").(strict.Members)
		required, _ = body.Get("required").([]any)
	}
	for _, p := range e.bound().params() {
		if props.Get(p.name) != nil {
			continue // it may be in the body too
		}
		props = append(props, strict.Member{Name: p.name, Value: e.paramSchema(p)})
		if p.required {
			required = append(required, p.name)
		}
	}
	out := strict.Members{{Name: "type", Value: "object"}, {Name: "properties", Value: props}}
	if required != nil {
		out = append(out, strict.Member{Name: "required", Value: required})
	}
	return append(out, strict.Member{Name: "additionalProperties", Value: false})
}

// bodySchema returns the schema of the body only, or nil if there is none. ref says which types are described
// elsewhere.
func (e *Endpoint) bodySchema(ref func(reflect.Type) string) strict.Members {
	if !e.takesBody() {
		return nil
	}
	if own, ok := reflect.Zero(e.In).Interface().(bodyDescriber); ok {
		return own.BodySchema()
	}
	object := strict.Types{Ref: ref}.Object(e.In)
	for i := range object.Props {
		p := &object.Props[i]
		schema := p.Schema
		p.About = aboutOr(p.About, p.Name)
		p.Schema = func() strict.Members { return e.withChoices(p.Name, schema()) }
	}
	return object.Schema()
}

func (e *Endpoint) paramSchema(p param) strict.Members {
	var m strict.Members
	if about := aboutOr(p.about, p.name); about != "" {
		m = append(m, strict.Member{Name: "description", Value: about})
	}
	kind := "integer"
	switch p.kind {
	case reflect.Bool:
		kind = "boolean"
	case reflect.String:
		kind = "string"
	}
	return e.withChoices(p.name, append(m, strict.Member{Name: "type", Value: kind}))
}

// withChoices adds the allowed words of a field, if its input knows them.
func (e *Endpoint) withChoices(name string, m strict.Members) strict.Members {
	if c, ok := reflect.Zero(e.In).Interface().(chooser); ok && c.Choices()[name] != nil {
		return append(slices.Clone(m), strict.Member{Name: "enum", Value: strict.Anys(c.Choices()[name])})
	}
	return m
}

// answerSchema returns the schema of an answer's type: it may get more members later, and is never null itself.
func answerSchema(t reflect.Type, ref func(reflect.Type) string) strict.Members {
	return strict.Types{Open: true, Ref: ref}.Of(pointed(t)).Schema()
}

// pointed returns the type that a pointer type points to, and any other type as it is.
func pointed(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// component returns the name of a struct type in an OpenAPI document, empty if it is written inline.
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
		if _, formed := reflect.Zero(t).Interface().(strict.Formed); seen[t] || formed && t.Kind() != reflect.Pointer {
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
				if name, _ := strict.NameOf(t.Field(i)); name != "" {
					roots = append(roots, t.Field(i).Type)
				}
			}
		}
	}
	return found, nil
}
