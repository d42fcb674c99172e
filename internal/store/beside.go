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

// Notes gives the newest notes of a task, oldest first; all of them for 0.
func (r AnnotationReader) Notes(id task.ID, newest int) ([]task.Note, error) {
	p, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	sql := `SELECT ` + rows.NoteColumns + ` FROM note WHERE task=$1 ORDER BY id DESC`
	if newest > 0 {
		sql += ` LIMIT ` + strconv.Itoa(newest)
	}
	var out []task.Note
	s := rows.Scanner{Slug: p.rec.Slug}
	err = r.c.Query(sql, []any{ref}, func(row db.Row) error {
		var n task.Note
		err := rows.ReadNote(&s, row, &n)
		out = append(out, n)
		return err
	})
	slices.Reverse(out)
	return out, err
}

// Evidence gives the evidence of a task, oldest first.
func (r AnnotationReader) Evidence(id task.ID) ([]task.Evidence, error) {
	return r.EvidenceOf([]task.ID{id})
}

// Approvals gives the approvals of a task, oldest first; those of an earlier epoch are stale.
func (r AnnotationReader) Approvals(id task.ID) ([]task.Approval, error) {
	p, ref, err := r.refOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Approval
	s := rows.Scanner{Slug: p.rec.Slug}
	err = r.c.Query(`SELECT `+rows.ApprovalColumnsA+`
		FROM approval a JOIN task t ON t.id=a.task WHERE a.task=$1 ORDER BY a.id`, []any{ref}, func(row db.Row) error {
		var a task.Approval
		err := rows.ReadApproval(&s, row, &a)
		out = append(out, a)
		return err
	})
	return out, err
}

// AddNote keeps a note; its id is that of the event that tells of it.
func (w AnnotationWriter) AddNote(t *task.Task, text string) (task.Note, error) {
	p, ref, err := w.refOf(t.ID)
	if err != nil {
		return task.Note{}, err
	}
	id, err := w.record(p.rec.Slug, t.ID, task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": text}})
	if err != nil {
		return task.Note{}, err
	}
	n := task.Note{ID: id, Task: t.ID, Actor: w.by.Actor.Full(), Text: text, At: w.Now()}
	if err := w.c.Exec(1, rows.InsertNote, rows.NoteValues(ref, &n)...); err != nil {
		return n, err
	}
	if err := w.index.Add(textindex.Record{Kind: search.Note, Task: ref, ID: id, Texts: []string{text}}); err != nil {
		return n, err
	}
	t.Notes++
	return n, w.c.Exec(1, `UPDATE task SET notes=notes+1 WHERE id=$1`, ref)
}

// AddEvidence keeps evidence; attempts begin anew.
func (w AnnotationWriter) AddEvidence(t *task.Task, items []task.EvidenceItem) ([]task.Evidence, error) {
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
		if err := w.c.Exec(1, rows.InsertEvidence, rows.EvidenceValues(ref, &e)...); err != nil {
			return nil, err
		}
		if err := w.index.Add(textindex.Record{Kind: search.Evidence, Task: ref, ID: id, Texts: []string{e.Kind, e.Value, string(e.Note)}}); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	t.Evidences += len(items)
	t.Attempts = 0
	return out, w.c.Exec(1, `UPDATE task SET evidences=evidences+$2, attempts=0 WHERE id=$1`, ref, len(items))
}

func evidenceDraft(it task.EvidenceItem) task.Draft {
	return task.Draft{Kind: task.EvidenceAdded, Payload: task.Payload{"kind": it.Kind, "value": it.Value, "note": it.Note}}
}

// AddApproval keeps an approval for the task's present epoch.
func (w AnnotationWriter) AddApproval(t *task.Task, a task.Approval) (task.Approval, error) {
	p, ref, err := w.refOf(t.ID)
	if err != nil {
		return a, err
	}
	payload := task.Payload{"kind": a.Kind, "role": a.Role, "note": a.Note}
	if a.ID, err = w.record(p.rec.Slug, t.ID, task.Draft{Kind: task.ApprovalGiven, Payload: payload}); err != nil {
		return a, err
	}
	a.Task, a.Actor, a.At, a.Epoch = t.ID, w.by.Actor.Full(), w.Now(), t.ApprovalEpoch
	values, err := rows.ApprovalValues(ref, &a)
	if err != nil {
		return a, err
	}
	if err := w.c.Exec(1, rows.InsertApproval, values...); err != nil {
		return a, err
	}
	t.Approvals++
	return a, w.c.Exec(1, `UPDATE task SET approvals=approvals+1 WHERE id=$1`, ref)
}
