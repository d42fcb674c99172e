package view

import (
	"context"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/task"
)

// MachineOut is what each actor is doing now.
type MachineOut struct {
	Project string    `json:"project"`
	Total   int       `json:"total"` // tasks that are held, listed or not
	Actors  []Working `json:"actors"`
}

// Working is one actor, with what it holds; IdleSince is its last event where it holds nothing.
type Working struct {
	Actor     string    `json:"actor"`
	Kind      string    `json:"kind"`
	Holding   []Lease   `json:"holding"`
	IdleSince task.Time `json:"idleSince"`
}

// Lease is a held task and how far it is.
type Lease struct {
	Task      task.ID       `json:"task"`
	Title     string        `json:"title"`
	Actor     task.Opt      `json:"actor"`
	Since     task.Time     `json:"since"`
	ExpiresAt task.Time     `json:"expiresAt"`
	Progress  task.Progress `json:"progress"`
	LastEvent *LastEvent    `json:"lastEvent"`
}

// LastEvent is the newest event of a task.
type LastEvent struct {
	ID   int64     `json:"id"`
	At   task.Time `json:"at"`
	Kind task.Kind `json:"kind"`
}

// Machine gives what each actor is doing now: those that hold something, then declared ones that are idle.
func Machine(s *core.Services, ctx context.Context, in ProjectIn) (MachineOut, error) {
	return within(ctx, s, in.Slug, in.Limit, func(sc scene) (MachineOut, error) {
		out := MachineOut{Project: sc.project.Slug, Total: sc.project.Held}
		held, err := sc.tx.HeldFirst(sc.project.Slug, sc.limit)
		if err != nil {
			return out, err
		}
		leases, err := sc.leases(held)
		if err != nil {
			return out, err
		}
		at := map[string]int{}
		for k, t := range held {
			i, ok := at[t.Claim.Actor]
			if !ok {
				i = len(out.Actors)
				at[t.Claim.Actor] = i
				kind, err := s.KindIn(sc.project, t.Claim.Actor)
				if err != nil {
					return out, err
				}
				out.Actors = append(out.Actors, Working{Actor: t.Claim.Actor, Kind: kind})
			}
			out.Actors[i].Holding = append(out.Actors[i].Holding, leases[k])
		}
		slices.SortFunc(out.Actors, func(a, b Working) int { return strings.Compare(a.Actor, b.Actor) })
		return out, sc.idle(s, &out)
	})
}

// leases tells of held tasks how far they are.
func (s scene) leases(held []*task.Task) ([]Lease, error) {
	ids := make([]task.ID, len(held))
	for i, t := range held {
		ids[i] = t.ID
	}
	last, err := s.tx.LastEvents(s.project.Slug, ids)
	if err != nil {
		return nil, err
	}
	var out []Lease
	for _, t := range held {
		l := Lease{
			Task: t.ID, Title: t.Title, Actor: task.Opt(t.Claim.Actor), Since: t.Claim.ClaimedAt, ExpiresAt: t.Claim.ExpiresAt, Progress: task.ProgressOf(t.Criteria),
		}
		if ev, ok := last[t.ID]; ok {
			l.LastEvent = &LastEvent{ID: ev.ID, At: ev.At, Kind: ev.Kind}
		}
		out = append(out, l)
	}
	return out, nil
}

// idle adds the declared actors that hold nothing, with when they last did something here.
func (s scene) idle(svc *core.Services, out *MachineOut) error {
	declared, err := svc.Settings.Actors(s.project)
	if err != nil {
		return err
	}
	for _, a := range declared {
		if slices.ContainsFunc(out.Actors, func(w Working) bool { name, _, _ := strings.Cut(w.Actor, "/"); return name == a.Name }) {
			continue
		}
		w := Working{Actor: a.Name, Kind: kindOf(a)}
		events, err := s.tx.Events(task.EventQuery{Project: s.project.Slug, By: a.Name, Limit: 1})
		if err != nil {
			return err
		}
		if len(events) > 0 {
			w.IdleSince = events[0].At
		}
		out.Actors = append(out.Actors, w)
	}
	return nil
}

func kindOf(a task.Actor) string {
	if a.Human {
		return "human"
	}
	return "agent"
}
