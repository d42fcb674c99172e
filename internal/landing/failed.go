package landing

import (
	"context"
	"fmt"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// FailedIn says why something did not land. What the base is to blame for is about no task.
type FailedIn struct {
	Project string
	Task    task.ID
	Why     string
	With    []task.ID
	Base    string
	Command string   // that was red; empty if none was
	Files   []string // that conflict
}

// Failed is what became of the task.
type Failed struct {
	Task   task.ID     `json:"task"`
	Status task.Status `json:"status"`
}

// Failed records that something did not land. A task whose work conflicts with the base, or is red on top of it, is open again
// with a note that says so, and people are told. A push that is refused, or a base that is red by itself, changes no task.
func (s *Service) Failed(ctx context.Context, in FailedIn) (Failed, error) {
	if in.With == nil {
		in.With = []task.ID{}
	}
	event := task.Draft{Kind: task.LandFailed, Payload: task.Payload{"why": in.Why, "with": in.With, "base": in.Base, "command": task.Opt(in.Command)}}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (Failed, error) {
		if !in.reopens() {
			p, err := tx.Project(in.Project)
			if err != nil {
				return Failed{}, err
			}
			a, pol, err := s.Rules(ctx, tx, p)
			if err != nil {
				return Failed{}, err
			}
			if err := MayLand(a, pol, false); err != nil {
				return Failed{}, err
			}
			if err := core.Writable(p); err != nil {
				return Failed{}, err
			}
			return Failed{}, tx.Record(p.Slug, "", event)
		}
		t, a, pol, err := s.toLand(ctx, tx, in.Task)
		if err != nil {
			return Failed{}, err
		}
		if t.Status != task.Done && t.Status != task.InReview {
			return Failed{}, fault.Decline("%s is %s: only what is done or in review can fail to land", t.ID, t.Status)
		}
		why := in.Says()
		if _, err := tx.AddNote(t, why); err != nil {
			return Failed{}, err
		}
		after, err := move(tx, a, pol, t, task.Open)
		if err != nil {
			return Failed{}, err
		}
		return Failed{after.ID, after.Status}, linkdb.SaveNotice(tx, t.ID, merge.NoticeLanding, why, event)
	})
}

// reopens reports whether the task has to be worked on before it can land.
func (in FailedIn) reopens() bool { return in.Why == Conflict || in.Why == Red }

// Says is the sentence for those who work on the task next.
func (in FailedIn) Says() string {
	if in.Why == Red {
		return fmt.Sprintf("it did not land: on top of %s this is red: $ %s", in.Base, in.Command)
	}
	with := in.Base
	if len(in.With) > 0 {
		with = words.And(words.Each(in.With, func(id task.ID) string { return string(id) }))
	}
	said := fmt.Sprintf("it did not land: it conflicts with %s", with)
	files := words.Some(in.Files[:min(len(in.Files), 5)], len(in.Files))
	if len(in.Files) == 0 || task.CheckText("the note", said+files, task.MaxText) != nil || strings.Contains(files, "\n") {
		return said
	}
	return said + ", in " + files
}
