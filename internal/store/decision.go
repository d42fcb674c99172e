package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/task"
)

// Decisions gives what was decided about a task last, oldest first.
func (r *Reader) Decisions(id task.ID, newest int) ([]task.Decision, error) {
	p, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Decision
	err = r.c.Query(`SELECT id, actor, title, rationale, at FROM decision WHERE task=$1 ORDER BY id DESC LIMIT `+strconv.Itoa(newest), []any{ref}, func(row db.Row) error {
		out = append(out, task.Decision{
			ID: row.Int(0), Project: p.rec.Slug, Task: id, Actor: row.Text(1), Title: row.Text(2), Rationale: task.Opt(row.Text(3)), At: task.Time(row.Int(4)),
		})
		return nil
	})
	slices.Reverse(out)
	return out, err
}

// Bindings gives what a task is tied to in other systems, oldest first.
func (r *Reader) Bindings(id task.ID) ([]task.Binding, error) {
	_, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Binding
	err = r.c.Query(`SELECT id, system, kind, ref, url, state, synced_at FROM binding WHERE task=$1 ORDER BY id`, []any{ref}, func(row db.Row) error {
		out = append(out, task.Binding{
			ID: row.Int(0), Task: id, System: row.Text(1), Kind: row.Text(2), Ref: row.Text(3),
			URL: task.Opt(row.Text(4)), State: task.Opt(row.Text(5)), SyncedAt: task.Time(row.Int(6)),
		})
		return nil
	})
	return out, err
}

// AddDecision keeps a decision; its id is that of the event that tells of it.
func (w *Writer) AddDecision(t *task.Task, title string, rationale task.Opt) (task.Decision, error) {
	p, ref, err := w.refOf(t.ID)
	if err != nil {
		return task.Decision{}, err
	}
	id, err := w.record(p.rec.Slug, t.ID, task.Draft{Kind: task.DecisionRecorded, Payload: task.Payload{"title": title, "rationale": rationale}})
	if err != nil {
		return task.Decision{}, err
	}
	d := task.Decision{ID: id, Project: p.rec.Slug, Task: t.ID, Actor: w.by.Actor.Full(), Title: title, Rationale: rationale, At: w.Now()}
	if err := w.c.Exec(1, `INSERT INTO decision (id, task, actor, title, rationale, at) VALUES ($1,$2,$3,$4,$5,$6)`,
		id, ref, d.Actor, title, string(rationale), int64(d.At)); err != nil {
		return d, err
	}
	if err := w.index(search.Decision, ref, id, title, string(rationale)); err != nil {
		return d, err
	}
	t.Decisions++
	return d, w.c.Exec(1, `UPDATE task SET decisions=decisions+1 WHERE id=$1`, ref)
}
