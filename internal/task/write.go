package task

// By is the actor in whose name a write is made, and the face that it came through.
type By struct {
	Actor Actor
	Via   Via
	Alone bool // a turn of its own, for long writes
	// Accepts is set for the write with which a person goes on although the log was rewound.
	Accepts bool
	Doing   string       // the operation, shown to others who wait for it
	Session AgentSession // in which its claims are made
	// Checkout is the work tree in which its claims are made.
	Checkout Checkout
}

// NewTask is a task to create. An empty Task.ID or Key is assigned. If the same call creates its Parent or Deps, they
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
// if Whole is set, which says that both sides have them loaded.
type Change struct {
	Before, After *Task
	Whole         bool
	Events        []Draft
}
