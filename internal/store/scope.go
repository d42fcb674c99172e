package store

import (
	"slices"

	"tasker/internal/fault"
)

// Within narrows a reader to some projects; none given is all of them. Whatever a reader is asked for goes by its
// project's row or by the ids that visible gives, so a project outside is, here, not there: nothing above has to
// think of it.
func (r *Reader) Within(projects []string) { r.scope = projects }

// hides tells whether a project is outside what the reader was narrowed to.
func (r *Reader) hides(slug string) bool {
	return len(r.scope) > 0 && !slices.Contains(r.scope, slug)
}

// visible is the condition that a column of project ids names one that the reader sees, as further arguments of a
// statement that has args of them already. It is empty where the reader sees all, and rows without a project then
// too: to a reader that is narrowed they belong to somebody else.
func (r *Reader) visible(column string, args int) (string, []any, error) {
	if len(r.scope) == 0 {
		return "", nil, nil
	}
	ids := []any{int64(-1)} // of no project: a list is never empty
	for _, slug := range r.scope {
		p, err := r.loaded(slug)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		ids = append(ids, p.id)
	}
	return column + ` IN ` + in(args+1, len(ids)), ids, nil
}

func noProject(slug string) error {
	return fault.Missing("there is no project %q", slug).WithHint("list them: tasker project list")
}
