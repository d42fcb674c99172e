// Package prime writes the operating manual for an agent that has never seen the product. It is generated from the
// table of operations and the state of the project, so that it cannot go stale, and it is bounded, so that it fits into
// every agent's context.
package prime

import (
	"fmt"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// State is what the manual says about its reader and the project.
type State struct {
	Face  Face   // how the reader calls operations; empty: in a shell
	Actor string // with its instance
	Human bool
	How   string // what decided the identity
	Roles []string
	Holds []Held
	More  int      // how many more are held
	News  []string // what others did with these tasks since

	Projects []string // the existing projects, if none is selected
	Project  string

	Unapplied Unapplied
	Name      string
	Counts    task.Counts
	Ready     int    // of all open tasks
	Holdable  int    // of those, how many the reader may hold
	Next      []Task // the first ones that the reader may hold

	Policy    task.Policy
	Budget    int // tokens of a bundle, 0 for no limit
	Track     []string
	Archived  bool
	Selection []task.SelectKey
}

// Unapplied is the project that the configuration declares but no plan has created yet.
type Unapplied struct {
	Project string    // empty if there is none
	Since   task.Time // when it was declared; zero if unknown
	Now     task.Time
}

// String says that the plan does not exist yet, and since when it is expected.
func (u Unapplied) String() string {
	return "The project " + u.Project + " is declared but not applied yet" +
		words.When(u.Since != 0, fmt.Sprintf(" (expected since %s, %s)", u.Since.Go().Format("2006-01-02 15:04 UTC"), words.Ago(u.Since.Go(), u.Now.Go())))
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
	Use     string // as the reader's face calls it; in a shell without the program's name
	Summary string
}
