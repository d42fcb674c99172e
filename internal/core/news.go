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
}

// ear is what one call hears, and what a write notes for that.
type ear struct {
	Told
	project string     // the project that a write is about
	left    *task.Task // the task that the caller held until this write, as it was then
}

// Listening returns the environment for one call, and where the news of that call will be. In any other environment,
// operations skip news.
func (s *Env) Listening() (*Env, *Told) {
	on := *s
	on.ear = &ear{}
	return &on, &on.ear.Told
}

// Listens returns the context of a call whose caller wants its news.
func Listens(ctx context.Context) context.Context {
	c := CallerOf(ctx)
	if c.Listens {
		return ctx
	}
	c.Listens = true
	return WithCaller(ctx, c)
}

// About notes the project that a call is about.
func (s *Env) About(project string) {
	if s.ear != nil {
		s.ear.project = project
	}
}

// LetGo notes a task that the caller stops holding with this write: what others did to it before is still news, and no
// later answer would include it.
func (s *Env) LetGo(held *task.Task) {
	if s.ear != nil {
		s.ear.left = held
	}
}

// HearOf looks for news of a project after a write. The write is answered whether or not they can be read.
func (s *Env) HearOf(ctx context.Context, project string) {
	if s.ear == nil || project == "" {
		return
	}
	_, _ = Read(Uncharged(ctx), s, func(tx *store.Tx) (None, error) { return None{}, s.Hear(ctx, tx, project, "") })
}

// written returns the project that a write was about; empty if it named none, or if nobody listens.
func (s *Env) written() string {
	if s.ear != nil {
		return s.ear.project
	}
	return ""
}

// Hear looks for news of a project for the caller, in the snapshot of its answer. What was already delivered is not
// stored: an actor has heard everything before its second newest write, because the answer to its newest write no
// longer includes that. claimed is the task that this answer hands over with everything about it, if any. News of other
// projects stay.
func (s *Env) Hear(ctx context.Context, tx *store.Tx, project string, claimed task.ID) error {
	ear := s.ear
	if ear == nil {
		return nil
	}
	a := CallerOf(ctx).Actor
	names := slices.Compact([]string{a.Full(), a.Name})
	c, err := tx.Concerned(project, names, claimed, oneByOne+1)
	if err != nil || (!c.Others || c.Held == 0 && !c.Answered && ear.left == nil) && !instanceToo(ctx, a) {
		return err
	}
	h := hearing{tx: tx, names: names, heard: c.Heard, left: ear.left}
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
	ear.News, more = news.Newest(append(ear.News, h.items...))
	ear.More = ear.More || more || h.more
	return nil
}

// instanceToo reports whether the caller may act for an instance of its name, which holds tasks under a different full
// name.
func instanceToo(ctx context.Context, a task.Actor) bool {
	return a.Instance == "" && CallerOf(ctx).AtCommand()
}
