package plan

import (
	"bytes"
	"sync"

	"tasker/internal/strict"
)

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
		plan: strict.Render("A plan for tasker", s.document.Schema()),
		task: strict.Render("A task to create", s.create.Schema()),
		edit: strict.Render("An edit of a task", s.edit.Schema()),
	}
})
