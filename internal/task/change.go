package task

// Draft is an event before it is recorded: the store adds id, time, actor, batch and via.
type Draft struct {
	Kind    Kind
	Payload Payload
}

// Change is one task's before and after, with the events that tell of it. Whole says that Body and Deps of both
// were loaded and are to be saved too; without it they stay as they are.
type Change struct {
	Before, After *Task
	Whole         bool
	Events        []Draft
}
