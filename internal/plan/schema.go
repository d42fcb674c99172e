package plan

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// members is a JSON object that keeps its order.
type members []member

type member struct {
	name  string
	value any
}

// MarshalJSONTo writes the members in their order.
func (m members) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, x := range m {
		if err := enc.WriteToken(jsontext.String(x.name)); err != nil {
			return err
		}
		if err := json.MarshalEncode(enc, x.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

func anys[T any](in []T) []any {
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = v
	}
	return out
}

// Schema is the JSON Schema (2020-12) of the document. It refuses what Decode refuses, but for what a schema cannot
// say: a name given twice, text that is too long in bytes rather than characters, and everything across tasks.
func Schema() []byte { return bytes.Clone(schemas().plan) }

// TaskSchema is the JSON Schema of what DecodeTask takes.
func TaskSchema() []byte { return bytes.Clone(schemas().task) }

// EditSchema is the JSON Schema of what DecodeEdit takes.
func EditSchema() []byte { return bytes.Clone(schemas().edit) }

type schemaTexts struct{ plan, task, edit []byte }

var schemas = sync.OnceValue(func() schemaTexts {
	s := shapes()
	return schemaTexts{
		plan: render("A plan for tasker", s.document.schema()),
		task: render("A task to create", s.create.schema()),
		edit: render("An edit of a task", s.edit.schema()),
	}
})

func render(title string, body members) []byte {
	m := append(members{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}}, body...)
	out, err := json.Marshal(m, jsontext.WithIndent("  "))
	if err != nil {
		panic(err) // of what the program itself declares
	}
	return append(out, '\n')
}
