package frame

import (
	"context"
	"slices"
	"strings"
	"sync"

	"tasker/internal/bundle"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// Repository returns the work tree around the working directory, or nil if there is none.
func (f *Factory) Repository(ctx context.Context) (Repository, error) {
	return f.Wiring.Repository(ctx, f.Process.Dir)
}

// Staleness decides whether evidence of a run is stale. Evidence of an open task is stale if files of the task's own have
// changed since where the task is worked on: see WorkPlace. Evidence of a closed task is stale if no commit contains the files
// it ran on. It reads the repository once for each task, on first use; if it cannot, nothing is stale.
type Staleness struct {
	sight   func(b *bundle.Bundle) proven.Sight
	known   map[task.ID]proven.Sight
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
	return &Staleness{
		known: map[task.ID]proven.Sight{},
		sight: func(b *bundle.Bundle) proven.Sight {
			var runs []proven.Relied
			for _, e := range slices.Backward(b.Evidence) {
				if r, ok := proven.Parse(e.Value); ok && r.ExitCode == 0 && r.Tree != "" {
					runs = append(runs, proven.Relied{Evidence: e, Run: r})
				}
			}
			if len(runs) == 0 {
				return proven.Sight{}
			}
			dir, shared := f.WorkPlace(ctx, string(b.Task.ID))
			out := f.Sight(ctx, dir, b, runs)
			out.Shared = shared
			return out
		},
		history: sync.OnceValue(func() func(string) bool {
			if r, _ := f.Repository(ctx); r != nil {
				if has, err := r.History(ctx); err == nil {
					return has
				}
			}
			return func(string) bool { return true }
		}),
	}
}

// Of reports whether a run of an open task is stale, and which of the task's own files have changed.
func (s *Staleness) Of(b *bundle.Bundle, r proven.Run) (files []string, stale bool) {
	sight, ok := s.known[b.Task.ID]
	if !ok {
		sight = s.sight(b)
		s.known[b.Task.ID] = sight
	}
	return sight.Stale(r)
}

// Gone reports whether no commit here contains the files that a run of a closed task was made on.
func (s *Staleness) Gone(r proven.Run) bool { return r.Tree != "" && !s.history()(string(r.Tree)) }

// Words returns one line for each stale evidence of an open task, with the command that proves it again; none for evidence that
// a refusal has among what is missing, since its hint says how that is run.
func (s *Staleness) Words(b *bundle.Bundle, missing []string) []fault.Text {
	var out []fault.Text
	if b.Task.Status.Closed() {
		return nil
	}
	for _, e := range b.Evidence {
		r, ok := proven.Parse(e.Value)
		if !ok || r.ExitCode != 0 || lists(missing, e.Kind) {
			continue
		}
		if files, stale := s.Of(b, r); stale {
			again := hint.ProveAgain(b.Task.ID)
			switch {
			case b.Gate != nil && slices.Contains(b.Gate.Requires, e.Kind) && task.IsCommand(e.Kind):
				again = hint.ProveGate(b.Task.ID)
			case len(r.Command) > 0:
				again = hint.Prove(b.Task.ID, e.Kind, r.Command)
			}
			out = append(out, fault.Parts("%s: %s", proven.Stale{Kind: e.Kind, Files: files[:min(len(files), proven.MaxFiles)]}.Words(), again))
		}
	}
	return out
}

// lists reports whether evidence of a kind is among what a refusal has missing.
func lists(missing []string, kind string) bool {
	kind = "evidence " + kind
	return slices.ContainsFunc(missing, func(m string) bool { return m == kind || strings.HasPrefix(m, kind+" (") })
}
