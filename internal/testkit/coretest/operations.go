package coretest

import (
	"context"
	"fmt"
	"strings"

	"tasker/internal/admin"
	"tasker/internal/bundle"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// Apply applies a plan as Ann.
func (k *Kit) Apply(doc string) planning.ApplyOut {
	k.Helper()
	out, err := k.ApplyAs(Ann, doc)
	k.Must(err)
	return out
}

// ApplyAs applies a plan and returns the error, including an error of decoding.
func (k *Kit) ApplyAs(ctx context.Context, doc string) (planning.ApplyOut, error) {
	k.Helper()
	d, err := plan.Decode([]byte(doc))
	if err != nil {
		return planning.ApplyOut{}, err
	}
	return k.Planning.Apply(ctx, planning.ApplyIn{Doc: d})
}

// Tasks applies a plan of the project demo with these tasks.
func (k *Kit) Tasks(defs string) planning.ApplyOut {
	k.Helper()
	return k.Apply(`{"project": "demo", "tasks": [` + defs + `]}`)
}

// SlowGlobs returns n tasks whose globs take long to compare: each pair is within the limit of one comparison, their sum
// is not.
func SlowGlobs(n int) string {
	var tasks []string
	for i := range n {
		glob := "*" + strings.Repeat("a*", 200) + strings.Repeat("/?", i)
		tasks = append(tasks, fmt.Sprintf(`{"key": "h%d", "title": "H", "touches": [%q]}`, i, glob))
	}
	return strings.Join(tasks, ", ")
}

// Create creates a task and returns the error, including an error of decoding.
func (k *Kit) Create(ctx context.Context, def string) (*planning.Written, error) {
	k.Helper()
	project, d, err := plan.DecodeTask([]byte(def))
	if err != nil {
		return nil, err
	}
	return k.Planning.Create(ctx, planning.CreateIn{Project: project, Def: d})
}

// Edit edits a task.
func (k *Kit) Edit(ctx context.Context, id, edit string) *task.Task {
	k.Helper()
	out, err := k.EditAs(ctx, id, edit)
	k.Must(err)
	return &out.Task
}

// EditAs edits a task and returns the error, including an error of decoding.
func (k *Kit) EditAs(ctx context.Context, id, edit string) (*planning.Edited, error) {
	k.Helper()
	e, err := plan.DecodeEdit([]byte(edit))
	if err != nil {
		return nil, err
	}
	return k.Planning.Edit(ctx, planning.EditIn{Task: id, Edit: e})
}

// Show returns the bundle of a task, as Ann sees it.
func (k *Kit) Show(id string) *bundle.Bundle {
	k.Helper()
	b, err := k.Reading.Show(Ann, reading.ShowIn{Task: id})
	k.Must(err)
	return b
}

// Task returns the record of a task.
func (k *Kit) Task(id string) *task.Task { k.Helper(); return k.Show(id).Task }

// Next selects and claims.
func (k *Kit) Next(ctx context.Context, in work.NextIn) work.NextOut {
	k.Helper()
	out, err := k.Work.Next(ctx, in)
	k.Must(err)
	return out
}

// Claim claims a task.
func (k *Kit) Claim(ctx context.Context, id string) task.Claim {
	k.Helper()
	c, err := k.Work.Claim(ctx, work.ClaimIn{Task: id})
	k.Must(err)
	return c.Record()
}

// Note adds a note to a task and returns its id.
func (k *Kit) Note(ctx context.Context, id, text string) int64 {
	k.Helper()
	n, err := k.Work.Note(ctx, work.NoteIn{Task: id, Text: text})
	k.Must(err)
	return n.ID
}

// Move moves a task.
func (k *Kit) Move(ctx context.Context, in work.MoveIn) work.MoveOut {
	k.Helper()
	out, err := k.Work.Move(ctx, in)
	k.Must(err)
	return out
}

// Done moves a task to done.
func (k *Kit) Done(ctx context.Context, id string) work.MoveOut {
	k.Helper()
	return k.Move(ctx, work.MoveIn{Task: id, To: "done"})
}

// Events returns the kinds of a task's events, oldest first, or of all events if id is empty.
func (k *Kit) Events(id string) []task.Kind {
	k.Helper()
	all, err := k.Reading.Events(Ann, reading.EventsIn{Task: id, Limit: new(1000)})
	k.Must(err)
	out := make([]task.Kind, len(all))
	for i, e := range all {
		out[i] = e.Kind
	}
	return out
}

// Last returns the newest event of a task, and its payload as text.
func (k *Kit) Last(id string) (task.Event, string) {
	k.Helper()
	all, err := k.Reading.Events(Ann, reading.EventsIn{Task: id, Limit: new(1)})
	k.Must(err)
	if len(all) == 0 {
		k.Fatalf("%s has no event", id)
	}
	return all[0], string(all[0].Payload)
}

// Healthy checks that everything maintained equals a recount.
func (k *Kit) Healthy() {
	k.Helper()
	out, err := k.Admin.Doctor(Ann, admin.DoctorIn{})
	k.Must(err)
	if !out.OK {
		k.Errorf("a recount finds %+v", out.Checks)
	}
}
