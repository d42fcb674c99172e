package plan

import (
	"bytes"

	"tasker/internal/strict"
	"tasker/internal/task"
)

// Decode reads a plan as strict JSON. The error is Invalid and lists every fault with its path.
func Decode(src []byte) (*Document, error) {
	doc, err := Read(src)
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		return nil, err
	}
	return doc, nil
}

// Read is Decode, except that it also returns a faulty plan as far as it can be read: Compare lists its faults together
// with the ones that show only against what is stored. Text that is not JSON, or that names no project or no task, is
// refused at once.
func Read(src []byte) (*Document, error) {
	doc, whole, err := strict.Decode(orNothing(src), "the plan", shapes().document, func(n *strict.Notes, d *Document) { d.countEdges(n) })
	if !whole || err != nil && (doc.Project == "" || len(doc.Tasks) == 0) {
		return nil, err // there is nothing to compare
	}
	doc.checked, doc.faults = true, err
	if err != nil {
		doc.src = src
	}
	return &doc, nil
}

// DecodeTask reads a task to create and the project that it names, if any.
func DecodeTask(src []byte) (project string, def *TaskDef, err error) {
	body, _, err := strict.Decode(orNothing(src), "the task", shapes().create, nil)
	return string(body.project), &body.def, err
}

// DecodeEdit reads an edit.
func DecodeEdit(src []byte) (*Edit, error) {
	edit, _, err := strict.Decode(orNothing(src), "the edit", shapes().edit, nil)
	return &edit, err
}

// Check refuses what Decode would refuse, for a plan built in Go.
func (d *Document) Check() error {
	if d.checked {
		return d.faults
	}
	var n strict.Notes
	shapes().document.CheckAt(&n, d)
	d.countEdges(&n)
	return n.Refuse("the plan")
}

// Check refuses what DecodeTask would refuse.
func (d *TaskDef) Check() error {
	var n strict.Notes
	shapes().create.CheckAt(&n, &taskBody{def: *d})
	return n.Refuse("the task")
}

// Check refuses what DecodeEdit would refuse.
func (e *Edit) Check() error {
	var n strict.Notes
	shapes().edit.CheckAt(&n, e)
	return n.Refuse("the edit")
}

func (d *Document) countEdges(n *strict.Notes) {
	edges := 0
	for i := range d.Tasks {
		edges += len(d.Tasks[i].Deps.Value)
	}
	if edges > task.MaxEdges {
		n.Enter("tasks")
		n.Note("must have at most %d deps in all, and have %d", task.MaxEdges, edges)
		n.Leave()
	}
}

// orNothing treats a blank text as an empty object.
func orNothing(src []byte) []byte {
	if len(bytes.TrimSpace(bytes.TrimPrefix(src, []byte("\ufeff")))) == 0 {
		return []byte("{}")
	}
	return src
}
