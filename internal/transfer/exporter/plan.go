package exporter

import (
	"bytes"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/plan"
	"tasker/internal/task"
)

// head returns what a plan says about the project itself.
func head(p *task.Project) *plan.Document {
	doc := &plan.Document{Project: p.Slug, Name: plan.GiveAny(p.Name), Vision: plan.GiveAny(p.Vision)}
	if len(p.Gates) > 0 {
		doc.Gates = plan.Give(p.Gates)
	}
	return doc
}

// definition returns a task as plans define it, so that applying it changes nothing. It leaves out
// what the task does not have.
func definition(t *Task, status bool) *plan.TaskDef {
	d := &plan.TaskDef{Key: t.Key, Fields: plan.FieldsOf(t.Task)}
	d.Parent, d.Deps = plan.GiveAny(task.Opt(t.ParentKey)), plan.GiveList(t.DepKeys)
	if !status {
		return d
	}
	var items []task.EvidenceItem
	for _, e := range t.Evidence {
		items = append(items, task.EvidenceItem{Kind: e.Kind, Value: e.Value, Note: e.Note})
	}
	d.Status, d.Evidence = plan.Give(t.Status), plan.GiveList(items)
	return d
}

// planJSON writes plans as JSON, one task at a time. Several projects are several documents.
type planJSON struct {
	w       io.Writer
	status  bool
	between string // separator before the next task
}

func (f *planJSON) Project(p *task.Project) error {
	text, err := json.Marshal(head(p), json.Deterministic(true), jsontext.WithIndent("  "), json.OmitZeroStructFields(true))
	text = bytes.TrimRight(bytes.TrimSuffix(text, []byte("}")), "\n")
	f.between = "\n    "
	return write(f.w, string(text)+",\n  \"tasks\": [", err)
}

func (f *planJSON) Task(t *Task) error {
	text, err := json.Marshal(definition(t, f.status), jsontext.WithIndent("  "), jsontext.WithIndentPrefix("    "))
	before := f.between
	f.between = ",\n    "
	return write(f.w, before+string(text), err)
}

func (f *planJSON) End() error { return write(f.w, "\n  ]\n}\n", nil) }
