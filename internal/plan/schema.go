package plan

import (
	"bytes"
	"sync"

	"tasker/internal/strict"
)

// Schema returns the JSON Schema (2020-12) of the document. It refuses what Decode refuses, except for what a schema
// cannot express: a name given twice, text that is too long in bytes rather than characters, and everything across
// tasks.
func Schema() []byte { return bytes.Clone(rendered()) }

var rendered = sync.OnceValue(func() []byte { return strict.Render("plan", DocumentSchema()) })

// DocumentSchema describes what Decode accepts.
func DocumentSchema() strict.Members {
	return strict.Titled("A plan for tasker", shapes().document.Schema())
}

// TaskSchema describes what DecodeTask accepts.
func TaskSchema() strict.Members { return strict.Titled("A task to create", shapes().create.Schema()) }

// EditSchema describes what DecodeEdit accepts.
func EditSchema() strict.Members { return strict.Titled("An edit of a task", shapes().edit.Schema()) }
