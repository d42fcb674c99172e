// Package exporter writes tasks for other programs and for people: as a plan, a checklist, a table,
// a drawing, or in a form that another tool imports. It is handed the tasks of a project in order
// of their numbers, and touches no database.
package exporter

import (
	"encoding/csv"
	"io"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Formats lists the export formats. The format json without a plan exports whole records: see
// Stream.
var Formats = []string{"json", "yaml", "markdown", "csv", "dot", "mermaid", "beads"}

// Task is a task with what exports add to its record: references by key, notes and evidence.
type Task struct {
	*task.Task
	ParentKey string
	DepKeys   []string
	Notes     []task.Note
	Evidence  []task.Evidence
}

// Format writes projects, each followed by its tasks. End ends a project.
type Format interface {
	Project(p *task.Project) error
	Task(t *Task) error
	End() error
}

// unframed is a format that writes nothing before or after the tasks of a project.
type unframed struct{}

func (unframed) Project(*task.Project) error { return nil }
func (unframed) End() error                  { return nil }

// writers makes the writer of each format.
var writers = map[string]func(w io.Writer, status bool) Format{
	"json":     func(w io.Writer, status bool) Format { return &planJSON{w: w, status: status} },
	"yaml":     func(w io.Writer, status bool) Format { return &planYAML{w: w, status: status} },
	"markdown": func(w io.Writer, _ bool) Format { return &markdown{w: w} },
	"csv":      func(w io.Writer, _ bool) Format { return &table{w: csv.NewWriter(w)} },
	"dot":      func(w io.Writer, _ bool) Format { return &dot{w: w} },
	"mermaid":  func(w io.Writer, _ bool) Format { return &mermaid{w: w} },
	"beads":    func(w io.Writer, _ bool) Format { return &beads{w: w} },
}

// New returns the writer of a format. With status, plans include the status of each task and its
// evidence.
func New(format string, w io.Writer, status bool) (Format, error) {
	if writer := writers[format]; writer != nil {
		return writer(w, status), nil
	}
	return nil, fault.Bad("there is no format called %s", words.Quoted(format)).WithHint("the formats are %s", words.List(Formats))
}

// write writes a text, unless there was an error already.
func write(w io.Writer, text string, err error) error {
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// Includes reports whether a format includes the notes, and the evidence, of tasks.
func Includes(format string, status bool) (notes, evidence bool) {
	return format == "beads", status && slices.Contains([]string{"json", "yaml"}, format)
}
