package task

// By is the actor in whose name a write is made, and the face it came through.
type By struct {
	Actor Actor
	Via   Via
	Alone bool   // a turn of its own: long writes
	Doing string // the operation, for others who wait meanwhile
}

// NewTask is a task to create. An empty Task.ID or Key is assigned. A Parent or Deps that are created by the same call
// are given as NewParent (index + 1, 0 for none) and NewDeps (indexes).
type NewTask struct {
	Task      *Task
	NewParent int
	NewDeps   []int
	Evidence  []EvidenceItem
	Event     Draft
}

// Draft is an event before it is recorded: the store adds its id, time, actor, batch and via.
type Draft struct {
	Kind    Kind
	Payload Payload
}

// Change is a task before and after a write, with the events that record it. Body and Deps are compared and saved only
// where Whole is set, which says that both sides have them loaded.
type Change struct {
	Before, After *Task
	Whole         bool
	Events        []Draft
}
