package store

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/task"
)

// Within limits a reader to some projects; without any, it sees all of them. Every read goes through its project's row
// or through the ids that Visible returns, so other projects do not exist for the reader, and no caller has to check.
func (tx *Tx) Within(projects []string) { tx.scope = projects }

// Hides reports whether a project is outside the reader's scope.
func (tx *Tx) Hides(slug string) bool {
	return len(tx.scope) > 0 && !slices.Contains(tx.scope, slug)
}

// NoProject returns the error for a project that does not exist, or that the reader may not see.
func NoProject(name string) error {
	return fault.Missing("there is no project %q", name).WithHint("list them: %s", hint.Projects()).WithCause(task.UnknownProject(name))
}

// NoDatabase returns the error for a project that is looked up without a database: the path may be mistyped.
func NoDatabase(path string) *fault.Error {
	return fault.Missing("there is no database at %s", path).
		WithHint("in the repository, a person begins with %s, and an agent asks its person for that; if yours is elsewhere, set TASKER_DB to its path",
			hint.Command("init"))
}

// NoProjectYet returns the refusal of a request that needs a project when there is none.
func (tx *Tx) NoProjectYet() error {
	if tx.Head.Absent != "" {
		return NoDatabase(tx.Head.Absent)
	}
	return fault.Missing("there is no project yet").
		WithHint("in the repository, a person begins with %s, and an agent asks its person for that; a plan makes its project too: %s",
			hint.Command("init"), hint.ApplyFile())
}
