package core

import (
	"slices"

	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// Owners returns who owns the fields of a project's tasks. A project is linked to a tracker if the configuration
// declares its site.
func (s *Env) Owners(tx *store.Tx, p *task.Project) (merge.Effective, error) {
	own, err := linkdb.Ownership(tx, p.Slug)
	if err != nil {
		return merge.Effective{}, err
	}
	eff, err := s.Settings.Effective(p)
	if err != nil {
		return merge.Effective{}, err
	}
	// A binding is not enough for a link: an agent may bind, but may not change who owns a field.
	return merge.Effective{Ownership: own, Linked: eff.Integrations.IssueTracker.BaseURL != ""}, nil
}

// IssueOf returns the issue that a task is bound to, or nil.
func IssueOf(tx *store.Tx, t *task.Task) (*task.Binding, error) {
	if t.BindingCount == 0 {
		return nil, nil
	}
	all, err := tx.Bindings(t.ID)
	if i := slices.IndexFunc(all, func(b task.Binding) bool { return b.System == merge.IssueTracker }); i >= 0 {
		return &all[i], err
	}
	return nil, err
}

// ForeignOf returns the issue that a task is bound to and the fields of the task that the tracker owns; empty for a
// task that is not bound to one.
func (s *Env) ForeignOf(tx *store.Tx, p *task.Project, t *task.Task) (ref string, foreign map[string]bool, err error) {
	b, err := IssueOf(tx, t)
	if err != nil || b == nil {
		return "", nil, err
	}
	owners, err := s.Owners(tx, p)
	return b.Ref, owners.Foreign(), err
}
