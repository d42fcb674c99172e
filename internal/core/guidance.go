package core

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/drift"
)

// Guide is the guidance of the project whose repository this process has. A nil Guide has none.
type Guide struct {
	// Where returns that project and the root of the repository; both are empty if there is none.
	Where func() (project, root string)
	// Read returns a bounded number of files below a directory that match the globs of track but not those of ignore, by
	// path. there reports whether the directory is on this machine, and more whether there are other files.
	Read func(dir string, track, ignore []string) (files []drift.Fingerprint, there, more bool, err error)
	Now  func() time.Time

	mu     sync.Mutex
	looked time.Time
	free   atomic.Bool // the project tracked no guidance when last looked at
}

// Project returns the slug of the project whose repository this process has, or "".
func (g *Guide) Project() string {
	if g == nil {
		return ""
	}
	project, _ := g.Where()
	return project
}

// Root returns the root of that repository, or "".
func (g *Guide) Root() string {
	_, root := g.Where()
	return root
}

// Due reports whether a second has passed since it last said yes.
func (g *Guide) Due() bool {
	if g.Project() == "" {
		return false
	}
	now := g.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if d := now.Sub(g.looked); d >= 0 && d < time.Second {
		return false
	}
	g.looked = now
	return true
}

// Prints are the fingerprints of a project's guidance. They are taken before a turn, because a turn never reads files.
type Prints struct {
	project *task.Project // nil: no fingerprints
	warn    bool          // drift is recorded
	root    string        // where the files are
	files   []drift.Fingerprint
	at      map[string][]drift.Fingerprint // of other directories: the workspaces of tasks
	unread  *Env                           // not nil: no fingerprints were taken, because none seemed to be needed
}

// errTracked ends a turn that lacks the fingerprints that it needs.
var errTracked = errors.New("the project tracks guidance")

// Guided runs a write that may claim a task, with the fingerprints to keep with the claim.
//
// As long as the project tracks nothing it takes none: this saves each claim a snapshot before its turn. The turn checks
// that nothing is tracked by then; otherwise the write runs again, with fingerprints. To remove the optimisation, call
// write with PrintsAt: select-and-claim in a repository (next-guided of make bench) then takes 25 % more processor time.
func Guided[T any](ctx context.Context, s *Env, write func(Prints) (T, error)) (out T, err error) {
	if s.Guide.Project() != "" && s.Guide.free.Load() {
		if out, err = write(Prints{unread: s}); !errors.Is(err, errTracked) {
			return out, err
		}
	}
	return write(s.PrintsAt(ctx, ""))
}

// PrintsAt takes the fingerprints of that project in a workspace of a task, or, if dir is "", in the repository itself.
// Guidance that cannot be read has none: a claim works without them, and the bundle says why.
func (s *Env) PrintsAt(ctx context.Context, dir string) Prints {
	p, _ := s.lookAt(ctx, dir)
	return p
}

// lookAt is PrintsAt with the reason why guidance cannot be read.
func (s *Env) lookAt(ctx context.Context, dir string) (Prints, error) {
	slug := s.Guide.Project()
	if slug == "" {
		return Prints{}, nil
	}
	p, err := Read(ctx, s, func(tx *store.Tx) (*task.Project, error) { return tx.Project(slug) })
	if err != nil {
		return Prints{}, nil //nolint:nilerr // the project does not exist yet, or is hidden from the caller
	}
	settings, err := s.Settings.Effective(p)
	s.Guide.free.Store(err == nil && len(settings.Context.Track) == 0)
	if err != nil || len(settings.Context.Track) == 0 {
		return Prints{}, err
	}
	out := Prints{project: p, warn: settings.Context.WarnOnDrift, root: cmp.Or(dir, s.Guide.Root())}
	var there bool
	if out.files, there, _, err = s.Guide.Read(out.root, settings.Context.Track, settings.Context.Ignore); err != nil || dir != "" && !there {
		return Prints{}, err
	}
	return out, nil
}

// maxRoots is how many workspaces are checked for drift at once.
const maxRoots = 50

// elsewhere takes the fingerprints of the directories in which some tasks were claimed.
func (s *Env) elsewhere(p *Prints, held []drift.Guided) error {
	settings, err := s.Settings.Effective(p.project)
	if err != nil {
		return err
	}
	p.at = map[string][]drift.Fingerprint{}
	for _, g := range held {
		if _, known := p.at[g.Root]; known || g.Root == "" || g.Root == p.root || len(p.at) == maxRoots {
			continue
		}
		files, there, _, err := s.Guide.Read(g.Root, settings.Context.Track, settings.Context.Ignore)
		if err != nil {
			return err
		}
		if there {
			p.at[g.Root] = files
		}
	}
	return nil
}

// now returns the current guidance files of a task; false if they are not on this machine.
func (p Prints) now(g drift.Guided) ([]drift.Fingerprint, bool) {
	if g.Root == "" || g.Root == p.root {
		return p.files, true
	}
	files, ok := p.at[g.Root]
	return files, ok
}

// Keep stores the fingerprints with a claim that was just made.
func (p Prints) Keep(tx *store.Tx, t *task.Task) error {
	if p.unread != nil {
		return p.unread.untracked(tx, t.Project)
	}
	if p.project == nil || p.project.Slug != t.Project {
		return nil
	}
	return tx.SaveGuided(drift.Guided{Task: t.ID, Fence: t.Claim.Fence, Files: p.files, Root: p.root})
}

// untracked returns errTracked if a project is the one whose repository this process has, and tracks guidance.
func (s *Env) untracked(tx *store.Tx, slug string) error {
	if s.Guide.Project() != slug {
		return nil
	}
	p, err := tx.Project(slug)
	if err != nil {
		return err
	}
	settings, err := s.Settings.Effective(p)
	if err == nil && len(settings.Context.Track) > 0 {
		return errTracked
	}
	return nil // also without usable settings, as in PrintsAt
}

// maxGuided is how many held tasks are checked for drift at once.
const maxGuided = 1000

// held returns the held tasks with the guidance that they were claimed with.
func (p Prints) held(tx *store.Tx) ([]drift.Guided, error) {
	return tx.GuidedHeld(p.project.Slug, maxGuided)
}

// unreported returns the held tasks whose guidance has changed since the last report.
func (p Prints) unreported(held []drift.Guided) []drift.Guided {
	return slices.DeleteFunc(held, func(g drift.Guided) bool {
		now, known := p.now(g)
		return !known || !g.Untold(now)
	})
}

// NoticeDrift records, once for each change, that the guidance of held tasks is no longer what it was when they were
// claimed. Reads only warn of it; writes record it, and a server does so on its own.
func (s *Env) NoticeDrift(ctx context.Context) error {
	if !s.Guide.Due() {
		return nil
	}
	now, err := s.lookAt(ctx, "")
	if err != nil || now.project == nil || !now.warn {
		return err
	}
	held, err := Read(ctx, s, now.held)
	if err != nil {
		return err
	}
	if err := s.elsewhere(&now, held); err != nil || len(now.unreported(held)) == 0 {
		return err
	}
	by := task.By{Actor: task.Actor{Name: task.Sweeper}, Via: task.Via{Face: "server"}} // nobody asked for it
	return s.Turn(ctx, by, func(tx *store.Tx) error {
		held, err := now.held(tx)
		if err != nil {
			return err
		}
		for _, g := range now.unreported(held) {
			if err := now.report(tx, g); err != nil {
				return err
			}
		}
		return nil
	})
}

// report records the drift of one task. A file that is back to what it was has no drift.
func (p Prints) report(tx *store.Tx, g drift.Guided) error {
	now, _ := p.now(g)
	drift := drift.Drifted(g.Files, now)
	if g.Told = now; len(drift) == 0 {
		g.Told = nil
	}
	if err := tx.SaveGuided(g); err != nil || len(drift) == 0 {
		return err
	}
	return tx.Record(p.project.Slug, g.Task, task.Draft{Kind: task.GuidanceDrifted, Payload: task.Payload{"fence": g.Fence, "files": drift}})
}
