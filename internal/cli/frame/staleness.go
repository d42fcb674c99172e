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

// Repository returns the work tree around the working directory, or nil if there is none.
func (f *Factory) Repository(ctx context.Context) (Repository, error) {
	return f.Wiring.Repository(ctx, f.Process.Dir)
}

// Staleness decides whether evidence of a run is stale. Evidence of an open task is stale if the files have changed
// since; evidence of a closed task is stale if no commit contains the files it ran on. It reads the repository once, on
// first use; if it cannot, nothing is stale.
type Staleness struct {
	now     func() string
	history func() func(tree string) bool
}

// Staleness returns the Staleness of this command line, which is cached.
func (f *Factory) Staleness() *Staleness {
	if f.stale == nil {
		f.stale = f.NewStaleness()
	}
	return f.stale
}

// NewStaleness returns a Staleness that has read nothing yet: the tool server uses a new one for every call.
func (f *Factory) NewStaleness() *Staleness {
	ctx := context.Background() // a few quick git commands while an answer is printed
	repo := sync.OnceValue(func() Repository {
		r, _ := f.Repository(ctx)
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

// Words returns one line for each stale evidence of a task, with the command that proves it again.
func (s *Staleness) Words(b *bundle.Bundle) []fault.Text {
	var stale []fault.Text
	for _, e := range b.Evidence {
		if r, ok := proven.Parse(e.Value); ok && r.ExitCode == 0 && s.Of(r, b.Task.Status) {
			again := hint.ProveAgain(b.Task.ID)
			if len(r.Command) > 0 {
				again = hint.Prove(b.Task.ID, e.Kind, r.Command)
			}
			stale = append(stale, fault.Parts("evidence %s is stale, its files have changed since: %s", e.Kind, again))
		}
	}
	return stale
}
