package plan

import (
	"bytes"
	"sync"

	"tasker/internal/strict"
)

// Schema is the JSON Schema (2020-12) of the document. It refuses what Decode refuses, but for what a schema cannot
// say: a name given twice, text that is too long in bytes rather than characters, and everything across tasks.
func Schema() []byte { return bytes.Clone(rendered()) }

var rendered = sync.OnceValue(func() []byte { return strict.Render("plan", DocumentSchema()) })

// DocumentSchema describes what Decode takes.
func DocumentSchema() strict.Members {
	return strict.Titled("A plan for tasker", shapes().document.Schema())
}

// TaskSchema describes what DecodeTask takes.
func TaskSchema() strict.Members { return strict.Titled("A task to create", shapes().create.Schema()) }

// EditSchema describes what DecodeEdit takes.
func EditSchema() strict.Members { return strict.Titled("An edit of a task", shapes().edit.Schema()) }
