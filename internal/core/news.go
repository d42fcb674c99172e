package core

import (
	"context"
	"slices"

	"tasker/internal/task"
	"tasker/internal/task/news"
	"tasker/internal/task/query"
)

// Told is what an answer tells its caller beside what was asked: what others did with the tasks that the caller holds, and the
// answers to its questions.
type Told struct {
	News []news.Item
	More bool // older ones are left out

	project string // that a write is about
}

type toldKey struct{}

// Listening returns a context for one call, and where its news will be. Operations under a context of nobody who listens look
// for none.
func Listening(ctx context.Context) (context.Context, *Told) {
	t := &Told{}
	return context.WithValue(ctx, toldKey{}, t), t
}

// ToldOf returns where the news of a call go, nil where nobody listens.
func ToldOf(ctx context.Context) *Told {
	t, _ := ctx.Value(toldKey{}).(*Told)
	return t
}

// About notes the project that the call of a context is about.
func About(ctx context.Context, project string) {
	if t := ToldOf(ctx); t != nil {
		t.project = project
	}
}

// HearOf looks for news of a project after a write. What was written is answered, whether or not they can be read.
func (s *Env) HearOf(ctx context.Context, project string) {
	if t := ToldOf(ctx); t == nil || project == "" {
		return
	}
	_, _ = Read(Uncharged(ctx), s, func(tx *ReadTx) (None, error) { return None{}, Hear(ctx, tx, project, "") })
}

// written returns the project that a write was about; empty where it named none, or nobody listens.
func written(ctx context.Context) string {
	if t := ToldOf(ctx); t != nil {
		return t.project
	}
	return ""
}

// Hear looks for news of a project for the caller, in the snapshot of its answer. Nothing is stored of what was told: an actor
// has heard what came before the write before its newest one, because the answer to that newest one no longer tells it. claimed
// is the task that this answer hands over with everything about it, if any. What another project told stays.
func Hear(ctx context.Context, tx *ReadTx, project string, claimed task.ID) error {
	told := ToldOf(ctx)
	if told == nil {
		return nil
	}
	a := CallerOf(ctx).Actor
	names := slices.Compact([]string{a.Full(), a.Name})
	concerned, err := tx.Log.Concerned(project, names, claimed)
	if err != nil || !concerned && !instanceToo(ctx, a) {
		return err
	}
	held, err := Holdings(ctx, tx, []string{project})
	if err != nil {
		return err
	}
	for _, t := range held {
		if !slices.Contains(names, t.Claim.Actor) {
			names = append(names, t.Claim.Actor)
		}
	}
	heard, err := tx.Log.Spoken(project, names)
	if err != nil {
		return err
	}
	h := hearing{tx: tx, names: names, heard: heard}
	for _, t := range held {
		if t.ID != claimed {
			h.on(t)
		}
	}
	h.answers(project)
	var more bool
	told.News, more = news.Newest(append(told.News, h.items...))
	told.More = told.More || more
	return h.err
}

// instanceToo reports whether the caller may act for an instance of its name, which holds under another name than its own.
func instanceToo(ctx context.Context, a task.Actor) bool {
	return a.Instance == "" && CallerOf(ctx).AtCommand()
}

// heardEvents is how many events past what was heard are looked at for each task.
const heardEvents = 100

// hearing collects the news of an actor.
type hearing struct {
	tx    *ReadTx
	names []string
	heard int64 // the last event that the actor has heard of
	items []news.Item
	err   error
}

func (h *hearing) since(id task.ID) []task.Event {
	if h.err != nil {
		return nil
	}
	var events []task.Event
	events, h.err = h.tx.Log.Events(query.Events{Task: id, SinceID: &h.heard, Limit: heardEvents, Bytes: PageBytes})
	return slices.DeleteFunc(events, func(e task.Event) bool { return slices.Contains(h.names, e.Actor) })
}

// on adds what others did with a held task since it was claimed.
func (h *hearing) on(t *task.Task) {
	for _, e := range h.since(t.ID) {
		if e.At < t.Claim.ClaimedAt {
			continue
		}
		if e.Kind == task.QuestionAnswered {
			h.answered(e, true)
		} else if item, ok := news.Of(e); ok {
			h.items = append(h.items, item)
		}
	}
	if t.OpenDeps == 0 || h.err != nil { // a claim is given where none is open: one that is has been reopened
		return
	}
	kin, err := h.tx.Graph.Kin(t, news.Limit)
	if h.err = err; err != nil {
		return
	}
	for _, d := range kin.Deps {
		if d.Status.Closed() {
			continue
		}
		for _, e := range h.since(d.ID) {
			if item, ok := news.Reopened(e, t.ID); ok && e.At >= t.Claim.ClaimedAt {
				h.items = append(h.items, item)
			}
		}
	}
}

// answers adds the answers to the actor's questions.
func (h *hearing) answers(project string) {
	if h.err != nil {
		return
	}
	var events []task.Event
	h.err = h.tx.Log.Latest(project, task.QuestionAnswered, h.heard, heardEvents, func(e task.Event) { events = append(events, e) })
	for _, e := range events {
		if !slices.Contains(h.names, e.Actor) {
			h.answered(e, false)
		}
	}
}

// answered adds the answer to a question: to any of a held task, else to one that the actor asked.
func (h *hearing) answered(e task.Event, held bool) {
	if h.err != nil {
		return
	}
	q, err := h.tx.Annotations.Question(news.Question(e))
	if h.err = err; err == nil && (held || slices.Contains(h.names, q.Actor)) {
		h.items = append(h.items, news.Answered(e, q))
	}
}
