package strict

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Members is a JSON object that keeps its order: a schema, or a part of one.
type Members []Member

// Member is a name of an object with its value.
type Member struct {
	Name  string
	Value any
}

// MarshalJSONTo writes the members in their order.
func (m Members) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, x := range m {
		if err := enc.WriteToken(jsontext.String(x.Name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, x.Value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// Get returns the value of a name, or nil.
func (m Members) Get(name string) any {
	for _, x := range m {
		if x.Name == name {
			return x.Value
		}
	}
	return nil
}

// Render writes a schema as a JSON Schema (2020-12) document. Its $id is a name, urn:tasker:schema:plan, and not an
// address: every server has the document at its own address. Render panics if a value cannot be written, which only a
// declaration in the program itself can cause.
func Render(name string, schema Members) []byte {
	m := append(Members{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", "urn:tasker:schema:" + name}}, schema...)
	out, err := json.Marshal(m, jsontext.WithIndent("  "))
	if err != nil {
		panic(err)
	}
	return append(out, '\n')
}

// Titled returns a schema with a title first.
func Titled(title string, schema Members) Members {
	return append(Members{{"title", title}}, schema...)
}

// Anys returns the values as the elements of a JSON list.
func Anys[T any](in []T) []any {
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = v
	}
	return out
}
