package inbox

import (
	"context"
	"fmt"
	"strings"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/landing"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// OverviewOut is every project with its situation.
type OverviewOut struct {
	Projects []Standing `json:"projects"`
}

// Standing is a project and its situation.
type Standing struct {
	Project   string    `json:"project"`
	Situation Situation `json:"situation"`
}

// Situation is how a project is doing, in stored counts.
type Situation struct {
	ByStatus        task.Counts        `json:"byStatus"`
	Ready           int                `json:"ready"`
	ReadyForPeople  int                `json:"readyForPeople"` // of these, how many only humans may hold
	Blocked         int                `json:"blocked"`        // open tasks that wait for a dependency or a part
	Asked           int                `json:"asked"`          // open tasks that only a blocking question keeps back
	Held            int                `json:"held"`
	Unheld          int                `json:"unheld"` // in progress without a holder
	Overdue         int                `json:"overdue"`
	NeedsAnswer     int                `json:"needsAnswer"`     // with an open blocking question, held ones included
	Stuck           *int               `json:"stuck"`           // see task.Trouble; null for an earlier moment
	Stalled         *int               `json:"stalled"`         // held, and half of the lease has passed without a write; null for an earlier moment
	WaitingForHuman int                `json:"waitingForHuman"` // in review, kept back by a blocking question, or ready for people only
	ClosedLast7Days int                `json:"closedLast7Days"`
	Unlanded        *landing.Unlanded  `json:"unlanded"` // done, and not on the base; null for an earlier moment
	Progress        int                `json:"progress"` // the percentage of closed tasks
	LastEvent       *reading.LastEvent `json:"lastEvent"`
	Sentence        string             `json:"sentence"`
}

// ProjectOverviewOut is what somebody who returns to a project wants to know first.
type ProjectOverviewOut struct {
	Project   string           `json:"project"`
	Situation Situation        `json:"situation"`
	Inbox     InboxOut         `json:"inbox"`
	Proof     reading.ProofOut `json:"proof"`
	Briefing  BriefOut         `json:"briefing"`
	At        *asof.Was        `json:"at"` // the moment asked for; null: now
}

// ProjectOverviewIn asks for a project's overview, as it is or as it was after an event.
type ProjectOverviewIn struct {
	Slug  string `path:"slug"`
	Limit *int   `query:"limit"`
	At    *int64 `query:"at" about:"the situation as it was after this event; what waits for you, proof and briefing are left out"`
}

// Overview returns every project with its situation.
func (s *Service) Overview(ctx context.Context, _ core.None) (OverviewOut, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (OverviewOut, error) {
		var out OverviewOut
		all, err := tx.Projects()
		if err != nil {
			return out, err
		}
		for _, p := range all {
			pol, err := s.Policy(tx, p)
			if err != nil {
				return out, err
			}
			now, err := scene{core.Scene{Tx: tx, View: tx, Project: p, Policy: pol}, s.Env}.situation(core.CallerOf(ctx).Actor)
			if err != nil {
				return out, err
			}
			out.Projects = append(out.Projects, Standing{Project: p.Slug, Situation: now})
		}
		return out, nil
	})
}

// ProjectOverview returns a project's situation, the caller's inbox, what was closed and proven, and what happened
// since the caller's mark.
//
// For an earlier moment it returns only the situation, because nobody knows what waited for whom then.
func (s *Service) ProjectOverview(ctx context.Context, in ProjectOverviewIn) (ProjectOverviewOut, error) {
	return s.overview(ctx, in, true)
}

// Front is ProjectOverview without the proof, for the first page of a project.
func (s *Service) Front(ctx context.Context, in ProjectOverviewIn) (ProjectOverviewOut, error) {
	return s.overview(ctx, in, false)
}

func (s *Service) overview(ctx context.Context, in ProjectOverviewIn, proof bool) (ProjectOverviewOut, error) {
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (ProjectOverviewOut, error) {
		out := ProjectOverviewOut{Project: sc.Project.Slug}
		var err error
		out.Situation, err = asof.Back(s.Env, sc.Scene, in.At, func(then core.Scene, was *asof.Was) (Situation, error) {
			out.At = was
			return (scene{then, s.Env}).situation(sc.Actor)
		})
		if err != nil || out.At != nil {
			return out, err
		}
		if out.Inbox, err = sc.inbox(sc.Actor, false, ""); err != nil {
			return out, err
		}
		if proof {
			if out.Proof, err = s.reading.On(sc.Tx).ProofOf(ctx, reading.ProofIn{Slug: in.Slug, Limit: in.Limit}); err != nil {
				return out, err
			}
		}
		out.Briefing, err = sc.briefing(s.Env, 0)
		return out, err
	})
}

// week is seven days in milliseconds.
const week = 7 * 24 * 60 * 60 * 1000

// situation returns how the project is doing for a reader.
func (s scene) situation(reader task.Actor) (Situation, error) {
	p, n := s.Project, s.Project.States()
	out := Situation{
		ByStatus: p.Tasks, Ready: n[task.StateReady], Blocked: n[task.StateWaiting], Asked: n[task.StateAsked], Held: n[task.StateHeld],
		Unheld: n[task.StateUnheld], Progress: share(p.Tasks),
	}
	var err error
	if out.Overdue, err = s.View.Overdue(p.Slug); err != nil {
		return out, err
	}
	if out.NeedsAnswer, err = s.View.Marked(p.Slug, task.MarkNeedsAnswer, reader.Name); err != nil {
		return out, err
	}
	if now := s.View.Current(); now != nil { // what people had acknowledged earlier is not known
		stuck, err := now.Marked(p.Slug, task.MarkStuck, reader.Name)
		if err != nil {
			return out, err
		}
		stalled, err := now.Stalled(p.Slug)
		if err != nil {
			return out, err
		}
		unlanded, err := landing.Count(s.Scene)
		if err != nil {
			return out, err
		}
		out.Stuck, out.Stalled, out.Unlanded = &stuck, &stalled, &unlanded
	}
	if out.ClosedLast7Days, err = s.View.ClosedSince(p.Slug, s.View.Now().Add(-week)); err != nil {
		return out, err
	}
	ready, keptBack, err := s.View.ReadyBy(p.Slug)
	if err != nil {
		return out, err
	}
	out.WaitingForHuman = query.WaitingForHuman(s.Policy, p.Tasks.InReview, keptBack, ready)
	out.ReadyForPeople = query.ReadyForPeople(s.Policy, ready)
	events, err := s.View.Events(query.Events{Project: p.Slug, Limit: 1})
	if err != nil {
		return out, err
	}
	if len(events) > 0 {
		out.LastEvent = &reading.LastEvent{ID: events[0].ID, At: events[0].At, Kind: events[0].Kind}
	}
	out.Sentence = out.sentence()
	return out, nil
}

// share returns the percentage of tasks that are closed.
func share(n task.Counts) int {
	return 100 * (n.Done + n.Cancelled) / max(n.Total(), 1)
}

// sentence returns the situation as text.
func (s Situation) sentence() string {
	n := s.ByStatus
	closed, total := n.Done+n.Cancelled, n.Total()
	if total == 0 {
		return "There are no tasks yet."
	}
	if closed == total {
		if total == 1 {
			return "The only task is closed."
		}
		return fmt.Sprintf("All %d tasks are closed.", total)
	}
	out := fmt.Sprintf("%d of %s closed: ", closed, words.Count(total, "task is", "tasks are")) + said([]said1{
		{s.Ready - s.ReadyForPeople, "ready"}, {s.ReadyForPeople, "ready for people"}, {s.Held, "held"}, {s.Unheld, "in progress without a holder"}, {s.Blocked, "waiting for tasks"},
		{s.Asked, "kept back by a question"}, {n.InReview, "in review"},
	})
	if across := said([]said1{{s.WaitingForHuman, "waiting for a human"}, {s.Overdue, "overdue"}}); across != "" {
		out += "; of these " + across // these are counted above as well
	}
	return out + "."
}

// said1 is a count and what it counts.
type said1 struct {
	n    int
	what string
}

// said lists the counts that are not zero.
func said(counts []said1) string {
	var parts []string
	for _, c := range counts {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}
