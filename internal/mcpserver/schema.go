package mcpserver

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"tasker/internal/op"
	"tasker/internal/strict"
)

// Schemas are the operation's own, cut to what a model needs to call it and to find its way in the answer: every
// client sends all of them to its model in every turn. Whatever is cut here is still checked by the operation, whose
// refusal says more than a schema can.

// inSchema returns the schema of what the tool takes.
func inSchema(o *op.Op) (*jsonschema.Schema, error) {
	s, err := readSchema(o.InSchema())
	if err != nil {
		return nil, err
	}
	switch o {
	case op.Apply.Op:
		shortForm(s)
	case op.Show.Op:
		withExplain(s)
	case op.Next.Op, op.Peek.Op: // it is filled in
		s.Required = slices.DeleteFunc(s.Required, func(name string) bool { return name == "project" })
	}
	for _, name := range withheld {
		delete(s.Properties, name)
	}
	for _, name := range plain {
		if p := s.Properties[name]; p != nil {
			p.Description = ""
		}
	}
	shorten(s)
	return s, nil
}

// readSchema returns a schema as the protocol's SDK holds it.
func readSchema(m strict.Members) (*jsonschema.Schema, error) {
	src, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	return &s, s.UnmarshalJSON(src)
}

// plain are arguments whose name says it all.
var plain = []string{"id", "project", "text", "note"}

// shorten drops from a schema what a model does not need: bounds and patterns, types of null (an argument that may be
// left out needs none), and that there is nothing else.
func shorten(s *jsonschema.Schema) {
	todo := []*jsonschema.Schema{s}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(s.Types) == 2 && slices.Contains(s.Types, "null") {
			s.Type = s.Types[1-slices.Index(s.Types, "null")]
			s.Types = nil
		}
		if s.Enum != nil {
			s.Type = "string"
			s.Enum = slices.DeleteFunc(s.Enum, func(v any) bool { return v == nil || v == "" })
		}
		s.Title, s.PropertyOrder, s.Pattern, s.PropertyNames = "", nil, "", nil
		s.MinLength, s.MaxLength, s.MinItems, s.MaxItems, s.MaxProperties = nil, nil, nil, nil, nil
		if values := s.AdditionalProperties; values != nil && values.Type != "" { // a map
			todo = append(todo, values)
		} else {
			s.AdditionalProperties = nil
		}
		if s.Items != nil {
			todo = append(todo, s.Items)
		}
		for _, p := range s.Properties {
			todo = append(todo, p)
		}
	}
}

// outSchema returns the schema of what the tool answers: the names and types of its members, and no deeper.
func outSchema(o *op.Op) (*jsonschema.Schema, error) {
	full, err := readSchema(o.OutSchema())
	if err != nil {
		return nil, err
	}
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	if full.Type != "object" { // structured content is an object, so anything else is wrapped
		s.Properties[wrapped(full.Type)] = &jsonschema.Schema{Type: full.Type}
		return s, nil
	}
	for name, p := range full.Properties {
		if named := o.Tool.Members; named == nil || slices.Contains(named, name) {
			s.Properties[name] = &jsonschema.Schema{Type: p.Type, Types: p.Types}
		}
	}
	return s, nil
}

// wrapped returns the member that holds an answer that is no object.
func wrapped(kind string) string {
	if kind == "string" {
		return "text"
	}
	return "items"
}
