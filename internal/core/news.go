package core

import (
	"context"
	"slices"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/news"
)

// Told is what an answer tells its caller beside what was asked: what others did with the tasks that the caller holds, and the
// answers to its questions.
type Told struct {
	News []news.Item
	More bool // older ones are left out

	project string     // that a write is about
	left    *task.Task // that the caller held until this write, as it was then
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

// LetGo notes a task that the caller holds until the write of a context: what others did with it before that is news still, and
// no later answer would tell it.
func LetGo(ctx context.Context, held *task.Task) {
	if t := ToldOf(ctx); t != nil {
		t.left = held
	}
}

// HearOf looks for news of a project after a write. What was written is answered, whether or not they can be read.
func (s *Env) HearOf(ctx context.Context, project string) {
	if t := ToldOf(ctx); t == nil || project == "" {
		return
	}
	_, _ = Read(Uncharged(ctx), s, func(tx *store.Tx) (None, error) { return None{}, Hear(ctx, tx, project, "") })
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
func Hear(ctx context.Context, tx *store.Tx, project string, claimed task.ID) error {
	told := ToldOf(ctx)
	if told == nil {
		return nil
	}
	a := CallerOf(ctx).Actor
	names := slices.Compact([]string{a.Full(), a.Name})
	c, err := tx.Concerned(project, names, claimed, oneByOne+1)
	if err != nil || (!c.Others || c.Held == 0 && !c.Answered && told.left == nil) && !instanceToo(ctx, a) {
		return err
	}
	h := hearing{tx: tx, names: names, heard: c.Heard, left: told.left}
	if c.Held > oneByOne {
		err = h.among(project, claimed)
	} else {
		err = h.each(ctx, project, claimed)
	}
	if err != nil {
		return err
	}
	if c.Answered || instanceToo(ctx, a) {
		if err := h.answers(project); err != nil {
			return err
		}
	}
	var more bool
	told.News, more = news.Newest(append(told.News, h.items...))
	told.More = told.More || more || h.more
	return nil
}

// instanceToo reports whether the caller may act for an instance of its name, which holds under another name than its own.
func instanceToo(ctx context.Context, a task.Actor) bool {
	return a.Instance == "" && CallerOf(ctx).AtCommand()
}
