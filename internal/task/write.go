package task

// By is in whose name a write is made.
type By struct {
	Actor Actor
	Via   Via
	Alone bool // a turn of its own: long writes
}

// NewTask is a task to create. Task.ID, when empty, is assigned, and Key too where it is empty. Parent and Deps
// that name tasks of the same call are given in NewParent (index + 1, 0 for none) and NewDeps (indexes).
type NewTask struct {
	Task      *Task
	NewParent int
	NewDeps   []int
	Evidence  []EvidenceItem
	Event     Draft
}
