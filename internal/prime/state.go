// Package prime writes the operating manual for an agent that has never seen the product: made from the table of
// operations and the state of the project, so that it cannot go stale, and bounded, so that it can stand in every
// agent's context.
package prime

import "tasker/internal/task"

// State is what the manual tells of who reads it and of the project.
type State struct {
	Face  Face   // how it calls operations; empty: in a shell
	Actor string // with its instance
	Human bool
	How   string // what decided the identity
	Roles []string
	Holds []Held
	More  int      // held beyond those
	News  []string // what others did with these since

	Projects []string // where no project is meant: those there are
	Project  string

	Unapplied string // the project that the configuration declares, while no plan has made it
	Name      string
	Counts    task.Counts
	Ready     int    // of all that is open
	Holdable  int    // of those, what the reader may hold
	Next      []Task // the first that the reader may hold

	Policy    task.Policy
	Budget    int // tokens of a bundle, 0 for no limit
	Track     []string
	Archived  bool
	Selection []task.SelectKey
}

// Held is a task that the reader holds.
type Held struct {
	Task
	Fence          int64
	LeftMs         *int64 // nil: until it is released
	Checked, Total int
}

// Task is a task in one line.
type Task struct {
	ID    task.ID
	Title string
}

// Command is an operation as an agent calls it.
type Command struct {
	Use     string // as the face that reads calls it; in a shell without the program's name
	Summary string
}
