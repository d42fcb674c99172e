package frame

import (
	"context"
	"sync"

	"tasker/internal/bundle"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// Repository returns the work tree around the working directory, nil where there is none.
func (f *Factory) Repository(ctx context.Context) (Repository, error) {
	if f.Wiring.Repository == nil {
		return nil, nil
	}
	return f.Wiring.Repository(ctx, f.Process.Dir)
}

// Staleness decides whether evidence of a run is stale. That of an open task is where the files have changed since, that
// of a closed one where the files it ran on are in no commit. The repository is read once, when the first run is asked
// about; where it cannot be read, nothing is stale.
type Staleness struct {
	now     func() string
	history func() func(tree string) bool
}

// Staleness returns the cached Staleness of this command line.
func (f *Factory) Staleness() *Staleness {
	if f.stale == nil {
		f.stale = f.NewStaleness()
	}
	return f.stale
}

// NewStaleness returns a Staleness that has read nothing yet: a server of tools asks anew for every call.
func (f *Factory) NewStaleness() *Staleness {
	ctx := context.Background() // a few quick questions to git while an answer is printed
	repo := sync.OnceValue(func() Repository {
		r, err := f.Repository(ctx)
		if err != nil {
			return nil
		}
		return r
	})
	return &Staleness{
		now: sync.OnceValue(func() string {
			if r := repo(); r != nil {
				if _, tree, _, err := r.State(ctx); err == nil {
					return tree
				}
			}
			return ""
		}),
		history: sync.OnceValue(func() func(string) bool {
			if r := repo(); r != nil {
				if has, err := r.History(ctx); err == nil {
					return has
				}
			}
			return func(string) bool { return true }
		}),
	}
}

// Of reports whether a run is stale for a task of that status.
func (s *Staleness) Of(r proven.Run, status task.Status) bool {
	if r.Tree == "" || s.now() == "" || s.now() == string(r.Tree) {
		return false
	}
	return !status.Closed() || !s.history()(string(r.Tree))
}

// Words returns a line for each evidence of a task that is stale, with the command that proves it anew.
func (s *Staleness) Words(b *bundle.Bundle) []fault.Text {
	var stale []fault.Text
	for _, e := range b.Evidence {
		if r, ok := proven.Parse(e.Value); ok && s.Of(r, b.Task.Status) {
			stale = append(stale, fault.Parts("evidence %s is stale, its files have changed since: %s", e.Kind, hint.Prove(b.Task.ID, e.Kind, r.Command)))
		}
	}
	return stale
}
