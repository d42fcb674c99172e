package plan

import "tasker/internal/task"

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

// Read is Decode that keeps the faults of a plan which can be read as far as it goes: Compare lists them together
// with those that only what is stored shows. What is no JSON, or names no project or no task, is refused at once.
func Read(src []byte) (*Document, error) {
	r := newReader(src)
	doc, _ := shapes().document.read(r)
	doc.countEdges(&r.notes)
	doc.faults = r.end("the plan")
	if r.broken != nil || doc.faults != nil && (doc.Project == "" || len(doc.Tasks) == 0) {
		return nil, doc.faults // there is nothing that could be compared
	}
	doc.checked = true
	if doc.faults != nil {
		doc.src = src
	}
	return &doc, nil
}

// DecodeTask reads a task to create and the project that it names, which may be none.
func DecodeTask(src []byte) (project string, def *TaskDef, err error) {
	r := newReader(src)
	body, _ := shapes().create.read(r)
	if err := r.end("the task"); err != nil {
		return "", nil, err
	}
	return string(body.project), &body.def, nil
}

// DecodeEdit reads an edit.
func DecodeEdit(src []byte) (*Edit, error) {
	r := newReader(src)
	edit, _ := shapes().edit.read(r)
	if err := r.end("the edit"); err != nil {
		return nil, err
	}
	return &edit, nil
}

// Check refuses what Decode would refuse, in a plan that Go built.
func (d *Document) Check() error {
	if d.checked {
		return d.faults
	}
	n := notes{here: -1}
	shapes().document.checkAt(&n, d)
	d.countEdges(&n)
	return n.refuse("the plan", nil)
}

// Check refuses what DecodeTask would refuse.
func (d *TaskDef) Check() error {
	n := notes{here: -1}
	shapes().create.checkAt(&n, &taskBody{def: *d})
	return n.refuse("the task", nil)
}

// Check refuses what DecodeEdit would refuse.
func (e *Edit) Check() error {
	n := notes{here: -1}
	shapes().edit.checkAt(&n, e)
	return n.refuse("the edit", nil)
}

func (d *Document) countEdges(n *notes) {
	edges := 0
	for i := range d.Tasks {
		edges += len(d.Tasks[i].Deps.Value)
	}
	if edges > task.MaxEdges {
		n.enter("tasks")
		n.note("must have at most %d deps in all, and have %d", task.MaxEdges, edges)
		n.leave()
	}
}
