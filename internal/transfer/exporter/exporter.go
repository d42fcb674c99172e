// Package exporter writes tasks for other programs and for people: as a plan, a checklist, a table, a drawing, or what
// another tool imports. It is handed the tasks of a project by number, and touches no database.
package exporter

import (
	"io"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Formats lists how tasks can be exported. The form json without a plan is that of whole records: see Stream.
var Formats = []string{"json", "yaml", "markdown", "csv", "dot", "mermaid", "beads"}

// Task is a task with what exports say of it besides its record: references by key, and what is stored beside it.
type Task struct {
	*task.Task
	ParentKey string
	DepKeys   []string
	Notes     []task.Note
	Evidence  []task.Evidence
}

// Format writes projects, each followed by its tasks.
type Format interface {
	Project(p *task.Project) error
	Task(t *Task) error
	End() error
}

// New returns the writer of a format. With status, plans say where each task stands and what proves it.
func New(format string, w io.Writer, status bool) (Format, error) {
	switch format {
	case "json":
		return &planJSON{w: w, status: status}, nil
	case "yaml":
		return &planYAML{w: w, status: status}, nil
	case "markdown":
		return &markdown{w: w}, nil
	case "csv":
		return newTable(w), nil
	case "dot":
		return &dot{w: w}, nil
	case "mermaid":
		return &mermaid{w: w}, nil
	case "beads":
		return &beads{w: w}, nil
	}
	return nil, fault.Bad("there is no format called %s", words.Quoted(format)).WithHint("the formats are %s", words.List(Formats))
}

// Beside reports whether a format says something of the notes, and of the evidence, of tasks.
func Beside(format string, status bool) (notes, evidence bool) {
	return format == "beads", status && slices.Contains([]string{"json", "yaml"}, format)
}
