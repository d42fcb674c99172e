package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/task"
)

// Notes gives the newest notes of a task, oldest first; all of them for 0.
func (r *Reader) Notes(id task.ID, newest int) ([]task.Note, error) {
	_, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	sql := `SELECT id, actor, text, at FROM note WHERE task=$1 ORDER BY id DESC`
	if newest > 0 {
		sql += ` LIMIT ` + strconv.Itoa(newest)
	}
	var out []task.Note
	err = r.c.Query(sql, []any{ref}, func(row db.Row) error {
		out = append(out, task.Note{ID: row.Int(0), Task: id, Actor: row.Text(1), Text: row.Text(2), At: task.Time(row.Int(3))})
		return nil
	})
	slices.Reverse(out)
	return out, err
}

func scanEvidence(id task.ID, row db.Row) task.Evidence {
	return task.Evidence{
		ID: row.Int(0), Task: id, Actor: row.Text(2), Kind: row.Text(3), Value: row.Text(4),
		Note: task.Opt(row.Text(5)), At: task.Time(row.Int(6)),
	}
}

// Evidence gives the evidence of a task, oldest first.
func (r *Reader) Evidence(id task.ID) ([]task.Evidence, error) { return r.EvidenceOf([]task.ID{id}) }

// Approvals gives the approvals of a task, oldest first; those of an earlier epoch are stale.
func (r *Reader) Approvals(id task.ID) ([]task.Approval, error) {
	_, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Approval
	err = r.c.Query(`SELECT a.id, a.kind, a.actor, a.role, a.roles, a.note, a.at, a.epoch, t.approval_epoch
		FROM approval a JOIN task t ON t.id=a.task WHERE a.task=$1 ORDER BY a.id`, []any{ref}, func(row db.Row) error {
		a := task.Approval{
			ID: row.Int(0), Task: id, Kind: row.Text(1), Actor: row.Text(2), Role: task.Opt(row.Text(3)),
			Note: task.Opt(row.Text(5)), At: task.Time(row.Int(6)), Stale: row.Int(7) != row.Int(8),
		}
		err := decodeList(row.Text(4), &a.Roles)
		out = append(out, a)
		return err
	})
	return out, err
}

// AddNote keeps a note; its id is that of the event that tells of it.
func (w *Writer) AddNote(t *task.Task, text string) (task.Note, error) {
	p, ref, err := w.refOf(t.ID)
	if err != nil {
		return task.Note{}, err
	}
	id, err := w.record(p.rec.Slug, t.ID, task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": text}})
	if err != nil {
		return task.Note{}, err
	}
	n := task.Note{ID: id, Task: t.ID, Actor: w.by.Actor.Full(), Text: text, At: w.Now()}
	if err := w.c.Exec(1, `INSERT INTO note (id, task, actor, text, at) VALUES ($1,$2,$3,$4,$5)`, id, ref, n.Actor, text, int64(n.At)); err != nil {
		return n, err
	}
	if err := w.index(search.Note, ref, id, text); err != nil {
		return n, err
	}
	t.Notes++
	return n, w.c.Exec(1, `UPDATE task SET notes=notes+1 WHERE id=$1`, ref)
}

// AddEvidence keeps evidence; attempts begin anew.
func (w *Writer) AddEvidence(t *task.Task, items []task.EvidenceItem) ([]task.Evidence, error) {
	p, ref, err := w.refOf(t.ID)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	var out []task.Evidence
	for _, it := range items {
		id, err := w.record(p.rec.Slug, t.ID, evidenceDraft(it))
		if err != nil {
			return nil, err
		}
		e := task.Evidence{ID: id, Task: t.ID, Actor: w.by.Actor.Full(), Kind: it.Kind, Value: it.Value, Note: it.Note, At: w.Now()}
		if err := w.c.Exec(1, insertEvidence, evidenceArgs(ref, e)...); err != nil {
			return nil, err
		}
		if err := w.index(search.Evidence, ref, id, e.Kind, e.Value, string(e.Note)); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	t.Evidences += len(items)
	t.Attempts = 0
	return out, w.c.Exec(1, `UPDATE task SET evidences=evidences+$2, attempts=0 WHERE id=$1`, ref, len(items))
}

const insertEvidence = `INSERT INTO evidence (id, task, actor, kind, value, note, at) VALUES ($1,$2,$3,$4,$5,$6,$7)`

func evidenceArgs(ref int64, e task.Evidence) []any {
	return []any{e.ID, ref, e.Actor, e.Kind, e.Value, string(e.Note), int64(e.At)}
}

func evidenceDraft(it task.EvidenceItem) task.Draft {
	return task.Draft{Kind: task.EvidenceAdded, Payload: task.Payload{"kind": it.Kind, "value": it.Value, "note": it.Note}}
}

// AddApproval keeps an approval for the task's present epoch.
func (w *Writer) AddApproval(t *task.Task, a task.Approval) (task.Approval, error) {
	p, ref, err := w.refOf(t.ID)
	if err != nil {
		return a, err
	}
	payload := task.Payload{"kind": a.Kind, "role": a.Role, "note": a.Note}
	if a.ID, err = w.record(p.rec.Slug, t.ID, task.Draft{Kind: task.ApprovalGiven, Payload: payload}); err != nil {
		return a, err
	}
	a.Task, a.Actor, a.At = t.ID, w.by.Actor.Full(), w.Now()
	roles, err := encodeList(a.Roles)
	if err != nil {
		return a, err
	}
	if err := w.c.Exec(1, `INSERT INTO approval (id, task, kind, actor, role, roles, note, at, epoch) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)`,
		a.ID, ref, a.Kind, a.Actor, string(a.Role), roles, string(a.Note), int64(a.At), t.ApprovalEpoch); err != nil {
		return a, err
	}
	t.Approvals++
	return a, w.c.Exec(1, `UPDATE task SET approvals=approvals+1 WHERE id=$1`, ref)
}
