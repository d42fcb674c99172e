package reading

import (
	"context"
	"slices"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/bundle/handover"
	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// MachineOut is what each actor is doing now.
//
//field:json answer
type MachineOut struct {
	Project string    `json:"project"`
	Total   int       `json:"total"` // held tasks, listed or not
	Actors  []Working `json:"actors"`
}

// Working is an actor with what it holds. IdleSince is its last event if it holds nothing.
//
//field:json
type Working struct {
	Actor     string    `json:"actor"`
	Kind      string    `json:"kind"`
	Holding   []Lease   `json:"holding"`
	IdleSince task.Time `json:"idleSince"`
}

// Lease is a held task and its progress.
//
//field:json
type Lease struct {
	Task      task.ID       `json:"task"`
	Title     string        `json:"title"`
	Actor     task.Opt      `json:"actor"`
	Since     task.Time     `json:"since"`
	ExpiresAt task.Time     `json:"expiresAt"`
	Progress  task.Progress `json:"progress"`
	LastEvent *LastEvent    `json:"lastEvent"`
	LeaseMs   int64         `json:"leaseMs"` // 0 if it does not expire
	Stalled   bool          `json:"stalled"` // half of it has passed without a write by the holder, which would have extended it

	Workspace *bundle.Workspace `json:"workspace"` // null if it has none
}

// LastEvent is the newest event of a task.
//
//field:json
type LastEvent struct {
	ID   int64     `json:"id"`
	At   task.Time `json:"at"`
	Kind task.Kind `json:"kind"`
}

// Machine returns what each actor is doing now: first actors that hold something, then idle declared ones.
func (s *Service) Machine(ctx context.Context, in ProjectIn) (MachineOut, error) {
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (MachineOut, error) {
		out := MachineOut{Project: sc.Project.Slug, Total: sc.Project.Held}
		held, err := sc.View.HeldFirst(sc.Project.Slug, sc.Limit)
		if err != nil {
			return out, err
		}
		places, err := placesOf(sc, held)
		if err != nil {
			return out, err
		}
		at := map[string]int{}
		for _, h := range held {
			i, ok := at[h.Actor]
			if !ok {
				i = len(out.Actors)
				at[h.Actor] = i
				kind, err := s.KindIn(sc.Tx, sc.Project, h.Actor)
				if err != nil {
					return out, err
				}
				out.Actors = append(out.Actors, Working{Actor: h.Actor, Kind: kind})
			}
			out.Actors[i].Holding = append(out.Actors[i].Holding, leaseOf(h, places[h.Task], sc.View.Now()))
		}
		slices.SortFunc(out.Actors, func(a, b Working) int { return strings.Compare(a.Actor, b.Actor) })
		return out, sc.idle(s.Env, &out)
	})
}

// placesOf returns the workspaces of held tasks.
func placesOf(sc scene, held []task.Hold) (map[task.ID]*bundle.Workspace, error) {
	tasks := make([]*task.Task, len(held))
	for i, h := range held {
		tasks[i] = &task.Task{ID: h.Task, Status: task.InProgress, Claim: &task.Claim{Actor: h.Actor, ExpiresAt: h.ExpiresAt}}
	}
	return handover.Workspaces(sc.View, sc.Project, tasks)
}

// leaseOf returns the lease of a held task.
func leaseOf(h task.Hold, at *bundle.Workspace, now task.Time) Lease {
	l := Lease{
		Workspace: at, Task: h.Task, Title: h.Title, Actor: task.Opt(h.Actor), Since: h.Since, ExpiresAt: h.ExpiresAt, Progress: h.Progress, LeaseMs: h.LeaseMs,
		Stalled: (&task.Claim{ExpiresAt: h.ExpiresAt, LeaseMs: h.LeaseMs}).Stalled(now),
	}
	if h.Last != 0 {
		l.LastEvent = &LastEvent{ID: h.Last, At: h.LastAt, Kind: h.LastKind}
	}
	return l
}

// idle adds the declared actors that hold nothing, with their last event here.
func (s scene) idle(svc *core.Env, out *MachineOut) error {
	declared, err := svc.Actors(s.Tx, s.Project)
	if err != nil {
		return err
	}
	for _, a := range declared {
		if slices.ContainsFunc(out.Actors, func(w Working) bool { name, _, _ := strings.Cut(w.Actor, "/"); return name == a.Name }) {
			continue
		}
		w := Working{Actor: a.Name, Kind: kindOf(a)}
		events, err := s.View.Events(query.Events{Project: s.Project.Slug, By: a.Name, Limit: 1})
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
