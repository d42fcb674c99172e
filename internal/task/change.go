package task

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
