package tx

import (
	"slices"

	"tasker/internal/fault"
)

// Within narrows a reader to some projects; none given is all of them. Whatever a reader is asked for goes by its
// project's row or by the ids that Visible returns, so a project outside is, here, not there: nothing above has to
// think of it.
func (r *Tx) Within(projects []string) { r.scope = projects }

// Hides reports whether a project is outside what the reader was narrowed to.
func (r *Tx) Hides(slug string) bool {
	return len(r.scope) > 0 && !slices.Contains(r.scope, slug)
}

// NoProject returns the fault of a project that is not there, or not for the reader.
func NoProject(slug string) error {
	return fault.Missing("there is no project %q", slug).WithHint("list them: tasker project list")
}
