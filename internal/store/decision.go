package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/store/textindex"
	"tasker/internal/task"
)

// Decisions gives what was decided about a task last, oldest first.
func (r AnnotationReader) Decisions(id task.ID, newest int) ([]task.Decision, error) {
	p, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Decision
	s := rows.Scanner{Slug: p.rec.Slug}
	err = r.c.Query(`SELECT `+rows.DecisionColumns+` FROM decision WHERE task=$1 ORDER BY id DESC LIMIT `+strconv.Itoa(newest), []any{ref}, func(row db.Row) error {
		var d task.Decision
		err := rows.ReadDecision(&s, row, &d)
		out = append(out, d)
		return err
	})
	slices.Reverse(out)
	return out, err
}

// Bindings gives what a task is tied to in other systems, oldest first.
func (r AnnotationReader) Bindings(id task.ID) ([]task.Binding, error) {
	p, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Binding
	s := rows.Scanner{Slug: p.rec.Slug}
	err = r.c.Query(`SELECT `+rows.BindingColumns+` FROM binding WHERE task=$1 ORDER BY id`, []any{ref}, func(row db.Row) error {
		var b task.Binding
		err := rows.ReadBinding(&s, row, &b)
		out = append(out, b)
		return err
	})
	return out, err
}

// AddDecision keeps a decision; its id is that of the event that tells of it.
func (w AnnotationWriter) AddDecision(t *task.Task, title string, rationale task.Opt) (task.Decision, error) {
	p, ref, err := w.refOf(t.ID)
	if err != nil {
		return task.Decision{}, err
	}
	id, err := w.record(p.rec.Slug, t.ID, task.Draft{Kind: task.DecisionRecorded, Payload: task.Payload{"title": title, "rationale": rationale}})
	if err != nil {
		return task.Decision{}, err
	}
	d := task.Decision{ID: id, Project: p.rec.Slug, Task: t.ID, Actor: w.by.Actor.Full(), Title: title, Rationale: rationale, At: w.Now()}
	if err := w.c.Exec(1, rows.InsertDecision, rows.DecisionValues(ref, &d)...); err != nil {
		return d, err
	}
	if err := w.index.Add(textindex.Record{Kind: search.Decision, Task: ref, ID: id, Texts: []string{title, string(rationale)}}); err != nil {
		return d, err
	}
	t.Decisions++
	return d, w.c.Exec(1, `UPDATE task SET decisions=decisions+1 WHERE id=$1`, ref)
}
