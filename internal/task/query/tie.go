package query

import "tasker/internal/task"

// Tie is one edge of the graph in which circles are found: From depends on To, or From is the parent of To. For a child
// it also says whether the child is marked as being in a circle with its parent.
type Tie struct {
	From, To task.ID
	Child    bool
	InCircle bool
}

// CircleMark says whether a child is in a circle with its parent.
type CircleMark struct {
	Child task.ID
	In    bool
}

// Ref names a task.
type Ref struct {
	Key string
	ID  task.ID
}
