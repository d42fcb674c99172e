package reading

import (
	"context"
	"slices"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// MachineOut is what each actor is doing now.
//
//field:json answer
type MachineOut struct {
	Project string    `json:"project"`
	Total   int       `json:"total"`   // held tasks, listed or not
	Workers int       `json:"workers"` // actors that hold something, listed or not
	Actors  []Working `json:"actors"`  // those in trouble first

	Runners []task.Runner `json:"runners"` // of commands, those that ended a moment ago included
}

// Working is an actor with what it holds. IdleSince is its last event if it holds nothing, and QuietSince its last write
// about what it holds.
//
//field:json
type Working struct {
	Actor       string        `json:"actor"`
	Kind        string        `json:"kind"`
	State       string        `json:"state"` // needs_answer, lapsed, stalled, quiet, working or idle
	Holding     []Lease       `json:"holding"`
	Lapsed      []LapsedLease `json:"lapsed"` // leases of it that ran out, until they are seen or the task is claimed again
	IdleSince   task.Time     `json:"idleSince"`
	QuietSince  task.Time     `json:"quietSince"`
	UsualMs     int64         `json:"usualMs"`     // the median pause between its writes; 0 if too few are known
	DoneLastDay int           `json:"doneLastDay"` // tasks that it has done in the last 24 hours
}

// LapsedLease is a lease that ran out.
//
//field:json
type LapsedLease struct {
	Task  task.ID   `json:"task"`
	Title string    `json:"title"`
	At    task.Time `json:"at"`
}

// Lease is a held task and its progress.
//
//field:json
type Lease struct {
	Task        task.ID       `json:"task"`
	Title       string        `json:"title"`
	Actor       task.Opt      `json:"actor"`
	Since       task.Time     `json:"since"`
	ExpiresAt   task.Time     `json:"expiresAt"`
	Progress    task.Progress `json:"progress"`
	LastEvent   *LastEvent    `json:"lastEvent"`
	LeaseMs     int64         `json:"leaseMs"`     // 0 if it does not expire
	Stalled     bool          `json:"stalled"`     // half of it has passed without a write by the holder, which would have extended it
	NeedsAnswer bool          `json:"needsAnswer"` // a blocking question about the task is open
	WroteAt     task.Time     `json:"wroteAt"`     // when the holder last wrote about the task

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

// Machine returns what each actor is doing now, those in trouble first, and idle declared actors last.
func (s *Service) Machine(ctx context.Context, in ProjectIn) (MachineOut, error) {
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (MachineOut, error) {
		out := MachineOut{Project: sc.Project.Slug, Total: sc.Project.Held}
		leases, err := sc.leases()
		if err != nil {
			return out, err
		}
		if out.Runners, err = sc.Tx.Runners(sc.Project.Slug); err != nil {
			return out, err
		}
		lapsed, err := sc.Tx.LapsedOf(sc.Project.Slug, sc.Actor.Name, sc.Limit)
		if err != nil {
			return out, err
		}
		all := workers{at: map[string]int{}, kindOf: func(name string) (string, error) { return s.KindIn(sc.Tx, sc.Project, name) }}
		for _, l := range leases {
			w, err := all.of(string(l.Actor))
			if err != nil {
				return out, err
			}
			w.Holding = append(w.Holding, l)
		}
		for _, l := range lapsed {
			if l.Actor == "" {
				continue
			}
			w, err := all.of(l.Actor)
			if err != nil {
				return out, err
			}
			w.Lapsed = append(w.Lapsed, LapsedLease{Task: l.Task, Title: l.Title, At: l.At})
		}
		out.Actors = all.list
		if out.Workers, err = sc.Tx.Holders(sc.Project.Slug); err != nil {
			return out, err
		}
		if err := sc.idle(s.Env, &out); err != nil {
			return out, err
		}
		return out, s.judged(sc, out.Actors)
	})
}

// workers are actors in the order in which they were found.
type workers struct {
	list   []Working
	at     map[string]int
	kindOf func(actor string) (string, error)
}

// of returns the worker of a name, with its instance.
func (w *workers) of(actor string) (*Working, error) {
	i, ok := w.at[actor]
	if !ok {
		kind, err := w.kindOf(actor)
		if err != nil {
			return nil, err
		}
		i = len(w.list)
		w.at[actor] = i
		w.list = append(w.list, Working{Actor: actor, Kind: kind})
	}
	return &w.list[i], nil
}

// judged adds what is known about the pace of workers, and sorts them by trouble.
func (s *Service) judged(sc scene, list []Working) error {
	now := sc.View.Now()
	done, err := s.caches.doneBy(sc, words.Each(list, func(w Working) string { return w.Actor }))
	if err != nil {
		return err
	}
	for i := range list {
		w := &list[i]
		w.DoneLastDay = done[w.Actor]
		if len(w.Holding) > 0 {
			if w.UsualMs, err = s.caches.usualPause(sc, w.Actor); err != nil {
				return err
			}
		}
		w.Judge(now)
	}
	ByTrouble(list, now)
	return nil
}

// dayMs is a day in milliseconds.
const dayMs = 24 * 60 * 60 * 1000

// leases returns the leases of held tasks, with their workspaces.
func (s scene) leases() ([]Lease, error) {
	held, err := s.View.HeldFirst(s.Project.Slug, s.Limit)
	if err != nil {
		return nil, err
	}
	tasks := make([]*task.Task, len(held))
	for i, h := range held {
		tasks[i] = &task.Task{ID: h.Task, Status: task.InProgress, Claim: &task.Claim{Actor: h.Actor, ExpiresAt: h.ExpiresAt}}
	}
	places, err := bundle.Workspaces(s.View, s.Project, tasks)
	var out []Lease
	for _, h := range held {
		out = append(out, leaseOf(h, places[h.Task], s.View.Now()))
	}
	return out, err
}

// leaseOf returns the lease of a held task.
func leaseOf(h task.Hold, at *bundle.Workspace, now task.Time) Lease {
	l := Lease{
		Workspace: at, Task: h.Task, Title: h.Title, Actor: task.Opt(h.Actor), Since: h.Since, ExpiresAt: h.ExpiresAt, Progress: h.Progress, LeaseMs: h.LeaseMs,
		Stalled: (&task.Claim{ExpiresAt: h.ExpiresAt, LeaseMs: h.LeaseMs}).Stalled(now), NeedsAnswer: h.Questions > 0,
		WroteAt: max(h.Since, h.LastAt),
	}
	if h.LeaseMs > 0 {
		l.WroteAt = h.ExpiresAt.Add(-h.LeaseMs) // each of its writes extends the lease to its full length
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
