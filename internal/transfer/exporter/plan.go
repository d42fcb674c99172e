package exporter

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/plan"
	"tasker/internal/task"
)

// head returns what a plan says of the project itself.
func head(p *task.Project) *plan.Document {
	doc := &plan.Document{Project: p.Slug}
	if p.Name != "" {
		doc.Name = plan.Give(p.Name)
	}
	if p.Vision != "" {
		doc.Vision = plan.Give(p.Vision)
	}
	if len(p.Gates) > 0 {
		doc.Gates = plan.Give(p.Gates)
	}
	return doc
}

// definition returns a task as a plan has it, so that applying it changes nothing. What the task has not is left out.
func definition(t *Task, status bool) *plan.TaskDef {
	d := &plan.TaskDef{Key: t.Key, Fields: plan.FieldsOf(t.Task)}
	if t.ParentKey != "" {
		d.Parent = plan.Give(task.Opt(t.ParentKey))
	}
	if len(t.DepKeys) > 0 {
		d.Deps = plan.Give(t.DepKeys)
	}
	if !status {
		return d
	}
	d.Status = plan.Give(t.Status)
	if len(t.Evidence) > 0 {
		items := make([]task.EvidenceItem, len(t.Evidence))
		for i, e := range t.Evidence {
			items[i] = task.EvidenceItem{Kind: e.Kind, Value: e.Value, Note: e.Note}
		}
		d.Evidence = plan.Give(items)
	}
	return d
}

// planJSON writes plans as JSON, a task at a time. Several projects are several documents.
type planJSON struct {
	w       io.Writer
	status  bool
	begun   bool
	listing bool
}

func (f *planJSON) Project(p *task.Project) error {
	if err := f.End(); err != nil {
		return err
	}
	text, err := json.Marshal(head(p), json.Deterministic(true), jsontext.WithIndent("  "), json.OmitZeroStructFields(true))
	if err != nil {
		return err
	}
	text = bytes.TrimRight(bytes.TrimSuffix(text, []byte("}")), "\n")
	f.begun, f.listing = true, false
	_, err = io.WriteString(f.w, string(text)+",\n  \"tasks\": [")
	return err
}

func (f *planJSON) Task(t *Task) error {
	text, err := json.Marshal(definition(t, f.status), jsontext.WithIndent("  "), jsontext.WithIndentPrefix("    "))
	if err != nil {
		return err
	}
	between := ",\n    "
	if !f.listing {
		between = "\n    "
	}
	f.listing = true
	_, err = io.WriteString(f.w, between+string(text))
	return err
}

func (f *planJSON) End() error {
	if !f.begun {
		return nil
	}
	f.begun = false
	_, err := io.WriteString(f.w, "\n  ]\n}\n")
	return err
}
