package reading

import (
	"context"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
	"tasker/internal/views/prime"
)

// PrimeIn asks for the manual of a project, in full or in a few lines.
type PrimeIn struct {
	Project string `query:"project"`
	Short   bool   `query:"short"`
	Face    string `query:"face" about:"in the words of this face; unless given, the one that asks"`
	// Declared is for a reader whose own files declare a project that the server has no file of.
	Declared bool `query:"declared" about:"the reader's configuration declares the project: if it does not exist yet, say how to begin it"`
}

// Choices lists the values of fields that accept only a few.
func (PrimeIn) Choices() map[string][]string { return map[string][]string{"face": prime.Faces} }

// face returns the face whose commands the manual uses.
func (in PrimeIn) face(c core.Caller) (prime.Face, error) {
	switch {
	case slices.Contains(prime.Faces, in.Face):
		return prime.Face(in.Face), nil
	case in.Face != "":
		return "", fault.Bad("%q is not a face", in.Face).WithMissing(fault.Parameter("face")).WithHint("one of %s", words.List(prime.Faces))
	case c.AtCommand():
		return prime.Shell, nil
	case c.Via.Face == "mcp":
		return prime.Tools, nil
	default:
		return prime.HTTP, nil
	}
}

// How many tasks the manual is given; it shows fewer if there is no room.
const (
	primeHolds = 8
	primeNext  = 3
)

// Primed returns what the manual is written from: who reads it and what the reader holds, then the project and its
// policy. If no project is named or assumed and there is not exactly one, it lists all of them.
func (s *Service) Primed(ctx context.Context, in PrimeIn) (prime.State, error) {
	c := core.CallerOf(ctx)
	face, err := in.face(c)
	if err != nil {
		return prime.State{}, err
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (prime.State, error) {
		out := prime.State{Face: face, Actor: c.Actor.Full(), Human: c.Actor.Human, How: c.Actor.By(c.How), Roles: c.Actor.Roles}
		p, err := primedProject(tx, in.Project, c.Project, &out)
		if s.UnappliedIn(ctx, err) != "" || in.Declared && task.UnknownProjectIn(err) != "" {
			out.Unapplied = prime.Unapplied{Project: in.Project, Since: s.Settings.DeclaredSince(in.Project), Now: tx.Now()}
			return out, nil
		}
		if err != nil {
			return out, err
		}
		slugs := out.Projects
		if p != nil {
			slugs = []string{p.Slug}
		}
		held, err := core.Holdings(ctx, tx, slugs)
		if err != nil {
			return out, err
		}
		for _, t := range held[:min(len(held), primeHolds)] {
			out.Holds = append(out.Holds, primeHeld(t, tx.Now()))
		}
		out.More = max(0, len(held)-primeHolds)
		if p == nil {
			return out, nil
		}
		listening, heard := s.Listening()
		if err := listening.Hear(ctx, tx, p.Slug, ""); err != nil {
			return out, err
		}
		for _, n := range heard.Items {
			out.News = append(out.News, string(n.Task)+": "+n.Text)
		}
		return out, primePolicy(ctx, s.Env, tx, p, &out)
	})
}

// primedProject returns the project that the manual is about, or nil.
func primedProject(tx *store.Tx, named, assumed string, out *prime.State) (*task.Project, error) {
	if named != "" {
		return tx.Project(named)
	}
	all, err := tx.Projects()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.Slug == assumed || len(all) == 1 && assumed == "" {
			return p, nil
		}
		out.Projects = append(out.Projects, p.Slug)
	}
	return nil, nil
}

func primeHeld(t *task.Task, now task.Time) prime.Held {
	done := task.ProgressOf(t.Criteria)
	return prime.Held{
		Task: prime.Task{ID: t.ID, Title: t.Title}, Fence: t.Claim.Fence, Checked: done.Checked, Total: done.Total, LeftMs: leftMs(t.Claim, now),
	}
}

func primePolicy(ctx context.Context, s *core.Env, tx *store.Tx, p *task.Project, out *prime.State) error {
	a, pol, err := s.Rules(ctx, tx, p)
	if err != nil {
		return err
	}
	settings, err := s.Settings.Effective(p)
	if err != nil {
		return err
	}
	out.Human, out.Roles = a.Human, append(append([]string{}, a.Roles...), a.Capabilities...)
	out.Project, out.Name, out.Counts, out.Ready, out.Archived, out.Projects = p.Slug, string(p.Name), p.Tasks, p.Ready, p.Archived, nil
	out.Policy, out.Selection, out.Budget, out.Track = pol, pol.Order().Keys(), bundle.Limit(0, settings.Config), settings.Context.Track
	ready, _, err := tx.ReadyBy(p.Slug)
	if err != nil {
		return err
	}
	out.Holdable = query.Holdable(pol, a, ready)
	q := query.Frontier{Project: p.Slug, Policy: pol, Actor: a, Lane: query.LaneHoldable, Limit: primeNext}
	return tx.Walk(q, func(t *task.Task) bool {
		out.Next = append(out.Next, prime.Task{ID: t.ID, Title: t.Title})
		return len(out.Next) < primeNext
	})
}
