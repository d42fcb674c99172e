package plan

import "tasker/internal/task"

// Decode reads a plan as strict JSON. The error is Invalid and lists every fault with its path.
func Decode(src []byte) (*Document, error) {
	r := newReader(src)
	doc, _ := shapes().document.read(r)
	doc.countEdges(&r.notes)
	if err := r.end("the plan"); err != nil {
		return nil, err
	}
	doc.checked = true
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
		return nil
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
