package core

import (
	"context"
	"slices"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/news"
)

// Told is the news that an answer has for its caller in addition to what was asked: what others did to the tasks that
// the caller holds, and the answers to its questions.
type Told struct {
	News []news.Item
	More bool // older ones are left out

	project string     // the project that a write is about
	left    *task.Task // the task that the caller held until this write, as it was then
}

type toldKey struct{}

// Listening returns a context for one call, and where its news will be. Without Listening, operations skip news.
func Listening(ctx context.Context) (context.Context, *Told) {
	t := &Told{}
	return context.WithValue(ctx, toldKey{}, t), t
}

// ToldOf returns where the news of a call go, or nil without Listening.
func ToldOf(ctx context.Context) *Told {
	t, _ := ctx.Value(toldKey{}).(*Told)
	return t
}

// About notes the project that a call is about.
func About(ctx context.Context, project string) {
	if t := ToldOf(ctx); t != nil {
		t.project = project
	}
}

// LetGo notes a task that the caller stops holding with this write: what others did to it before is still news, and no
// later answer would include it.
func LetGo(ctx context.Context, held *task.Task) {
	if t := ToldOf(ctx); t != nil {
		t.left = held
	}
}

// HearOf looks for news of a project after a write. The write is answered whether or not they can be read.
func (s *Env) HearOf(ctx context.Context, project string) {
	if t := ToldOf(ctx); t == nil || project == "" {
		return
	}
	_, _ = Read(Uncharged(ctx), s, func(tx *store.Tx) (None, error) { return None{}, Hear(ctx, tx, project, "") })
}

// written returns the project that a write was about; empty if it named none, or without Listening.
func written(ctx context.Context) string {
	if t := ToldOf(ctx); t != nil {
		return t.project
	}
	return ""
}

// Hear looks for news of a project for the caller, in the snapshot of its answer. What was already delivered is not
// stored: an actor has heard everything before its second newest write, because the answer to its newest write no
// longer includes that. claimed is the task that this answer hands over with everything about it, if any. News of other
// projects stay.
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

// instanceToo reports whether the caller may act for an instance of its name, which holds tasks under a different full
// name.
func instanceToo(ctx context.Context, a task.Actor) bool {
	return a.Instance == "" && CallerOf(ctx).AtCommand()
}
