// Package prime writes the operating manual for an agent that has never seen the product: made from the table of
// operations and the state of the project, so that it cannot go stale, and bounded, so that it can stand in every
// agent's context.
package prime

import (
	"fmt"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

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

	Unapplied Unapplied
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

// Unapplied is the project that the configuration declares, while no plan has made it.
type Unapplied struct {
	Project string    // empty where there is none
	Since   task.Time // when it was declared, zero where that is not known
	Now     task.Time
}

// String says that the plan is not there yet, and since when it is expected.
func (u Unapplied) String() string {
	text := "The project " + u.Project + " is declared and not applied yet"
	if u.Since != 0 {
		text += fmt.Sprintf(" (expected since %s, %s)", u.Since.Go().Format("2006-01-02 15:04 UTC"), words.Ago(u.Since.Go(), u.Now.Go()))
	}
	return text
}

// Wait says so in one line, and what an agent does about it.
func (u Unapplied) Wait() string {
	return u.String() + ": wait for whoever has its plan. It is not yours to invent one."
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
