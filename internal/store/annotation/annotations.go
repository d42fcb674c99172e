package annotation

import (
	"errors"
	"slices"
	"sort"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/store/textindex"
	"tasker/internal/store/tx"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// besideBytes is how many bytes of its newest notes, evidence or decisions are read of a task, about.
const besideBytes = 1 << 20

// upTo returns what takes records while they fit, the first in any case, and what ends a query where they do not.
func upTo(newest int) (take func(bytes int) error, end func(error) error) {
	page := query.Page{Records: newest}
	if newest > 0 {
		page.Bytes = besideBytes
	}
	taken := page.Taken()
	take = func(bytes int) error {
		if !taken.Add(bytes) {
			return tx.ErrEnough
		}
		return nil
	}
	return take, func(err error) error {
		if errors.Is(err, tx.ErrEnough) {
			return nil
		}
		return err
	}
}

// Notes returns the newest notes of a task that fit a page, oldest first; all of them for 0.
func (r Reader) Notes(id task.ID, newest int) ([]task.Note, error) {
	p, ref, err := r.KeyOf(id)
	if err != nil {
		return nil, err
	}
	sql := `SELECT ` + rows.NoteColumns + ` FROM note WHERE task=$1 ORDER BY id DESC`
	if newest > 0 {
		sql += ` LIMIT ` + strconv.Itoa(newest)
	}
	var out []task.Note
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, end := upTo(newest)
	err = end(r.C.Query(sql, []any{ref}, func(row db.Row) error {
		var n task.Note
		if err := rows.ReadNote(&s, row, &n); err != nil {
			return err
		}
		if err := take(len(n.Text)); err != nil {
			return err
		}
		out = append(out, n)
		return nil
	}))
	slices.Reverse(out)
	return out, err
}

// Evidence returns the evidence of a task, oldest first.
func (r Reader) Evidence(id task.ID) ([]task.Evidence, error) {
	return r.EvidenceOf([]task.ID{id})
}

// Approvals returns the approvals of a task, oldest first; those of an earlier epoch are stale. All of them count, so none is left
// out; of their notes it reads the newest that fit a page.
func (r Reader) Approvals(id task.ID) ([]task.Approval, error) {
	p, ref, err := r.KeyOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Approval
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, _ := upTo(task.MaxListed)
	err = r.C.Query(`SELECT `+rows.ApprovalColumnsA+`
		FROM approval a JOIN task t ON t.id=a.task WHERE a.task=$1 ORDER BY a.id DESC`, []any{ref}, func(row db.Row) error {
		var a task.Approval
		err := rows.ReadApproval(&s, row, &a)
		if take(len(a.Note)) != nil {
			a.Note = ""
		}
		out = append(out, a)
		return err
	})
	slices.Reverse(out)
	return out, err
}

// AddNote stores a note. Its id is that of its event.
func (w Writer) AddNote(t *task.Task, text string) (task.Note, error) {
	p, ref, err := w.KeyOf(t.ID)
	if err != nil {
		return task.Note{}, err
	}
	id, err := w.Append(p.Rec.Slug, t.ID, task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": text}})
	if err != nil {
		return task.Note{}, err
	}
	n := task.Note{ID: id, Task: t.ID, Actor: w.By.Actor.Full(), Text: text, At: w.Now()}
	if err := w.C.Exec(1, rows.InsertNote, rows.NoteValues(ref, &n)...); err != nil {
		return n, err
	}
	if err := w.Index.Add(textindex.Record{Kind: search.Note, Task: ref, ID: id, Texts: []string{text}}); err != nil {
		return n, err
	}
	t.Notes++
	return n, w.C.Exec(1, `UPDATE task SET notes=notes+1 WHERE id=$1`, ref)
}

// AddEvidence stores evidence, and resets the task's attempts.
func (w Writer) AddEvidence(t *task.Task, items []task.EvidenceItem) ([]task.Evidence, error) {
	p, ref, err := w.KeyOf(t.ID)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	var out []task.Evidence
	for _, it := range items {
		id, err := w.Append(p.Rec.Slug, t.ID, EvidenceDraft(it))
		if err != nil {
			return nil, err
		}
		e := task.Evidence{ID: id, Task: t.ID, Actor: w.By.Actor.Full(), Kind: it.Kind, Value: it.Value, Note: it.Note, At: w.Now()}
		if err := w.C.Exec(1, rows.InsertEvidence, rows.EvidenceValues(ref, &e)...); err != nil {
			return nil, err
		}
		if err := w.Index.Add(textindex.Record{Kind: search.Evidence, Task: ref, ID: id, Texts: []string{e.Kind, e.Value, string(e.Note)}}); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	t.Evidences += len(items)
	t.Attempts = 0
	return out, w.C.Exec(1, `UPDATE task SET evidences=evidences+$2, attempts=0 WHERE id=$1`, ref, len(items))
}

// EvidenceDraft returns the event of new evidence.
func EvidenceDraft(it task.EvidenceItem) task.Draft {
	return task.Draft{Kind: task.EvidenceAdded, Payload: task.Payload{"kind": it.Kind, "value": it.Value, "note": it.Note}}
}

// AddApproval stores an approval for the task's present epoch.
func (w Writer) AddApproval(t *task.Task, a task.Approval) (task.Approval, error) {
	p, ref, err := w.KeyOf(t.ID)
	if err != nil {
		return a, err
	}
	payload := task.Payload{"kind": a.Kind, "role": a.Role, "note": a.Note}
	if a.ID, err = w.Append(p.Rec.Slug, t.ID, task.Draft{Kind: task.ApprovalGiven, Payload: payload}); err != nil {
		return a, err
	}
	a.Task, a.Actor, a.At, a.Epoch = t.ID, w.By.Actor.Full(), w.Now(), t.ApprovalEpoch
	values, err := rows.ApprovalValues(ref, &a)
	if err != nil {
		return a, err
	}
	if err := w.C.Exec(1, rows.InsertApproval, values...); err != nil {
		return a, err
	}
	t.Approvals++
	return a, w.C.Exec(1, `UPDATE task SET approvals=approvals+1 WHERE id=$1`, ref)
}

// ApprovalsOf returns the approvals of many tasks of a project that still count.
func (r Reader) ApprovalsOf(slug string, ids []task.ID) (map[task.ID][]task.Approval, error) {
	p, err := r.Find(slug)
	if err != nil {
		return nil, err
	}
	refs, err := r.Keys(ids)
	if err != nil {
		return nil, err
	}
	out, s := map[task.ID][]task.Approval{}, rows.Scanner{Slug: p.Rec.Slug}
	return out, db.Batches(refs, func(run []any) error {
		return r.C.Query(`SELECT `+rows.ApproverColumnsA+` FROM approval a JOIN task t ON t.id=a.task
			WHERE a.epoch=t.approval_epoch AND a.task IN `+db.In(1, len(run)), run, func(row db.Row) error {
			var a task.Approval
			err := rows.ReadApprover(&s, row, &a)
			out[a.Task] = append(out[a.Task], a)
			return err
		})
	})
}

// RequestApproval records that approvals were asked for. From then on the task waits for people.
func (w Writer) RequestApproval(t *task.Task, ev task.Draft) error {
	p, ref, err := w.KeyOf(t.ID)
	if err != nil {
		return err
	}
	id, err := w.Append(p.Rec.Slug, t.ID, ev)
	if err != nil || t.AwaitingSince != 0 || t.Status.Closed() {
		return err
	}
	t.AwaitingSince = id
	return w.C.Exec(1, `UPDATE task SET awaiting=$2 WHERE id=$1 AND awaiting=0`, ref, id)
}

// Decisions returns the newest decisions about a task that fit a page, oldest first.
func (r Reader) Decisions(id task.ID, newest int) ([]task.Decision, error) {
	p, ref, err := r.KeyOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Decision
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, end := upTo(newest)
	err = end(r.C.Query(`SELECT `+rows.DecisionColumns+` FROM decision WHERE task=$1 ORDER BY id DESC LIMIT `+strconv.Itoa(newest), []any{ref},
		func(row db.Row) error {
			var d task.Decision
			if err := rows.ReadDecision(&s, row, &d); err != nil {
				return err
			}
			if err := take(len(d.Title) + len(d.Rationale)); err != nil {
				return err
			}
			out = append(out, d)
			return nil
		}))
	slices.Reverse(out)
	return out, err
}

// Bindings returns the bindings of a task, oldest first.
func (r Reader) Bindings(id task.ID) ([]task.Binding, error) {
	p, ref, err := r.KeyOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Binding
	s := rows.Scanner{Slug: p.Rec.Slug}
	err = r.C.Query(`SELECT `+rows.BindingColumns+` FROM binding WHERE task=$1 ORDER BY id`, []any{ref}, func(row db.Row) error {
		var b task.Binding
		err := rows.ReadBinding(&s, row, &b)
		out = append(out, b)
		return err
	})
	return out, err
}

// AddDecision stores a decision. Its id is that of its event.
func (w Writer) AddDecision(t *task.Task, title string, rationale task.Opt, undoes ...int64) (task.Decision, error) {
	p, ref, err := w.KeyOf(t.ID)
	if err != nil {
		return task.Decision{}, err
	}
	payload := tx.Undoing(task.Payload{"title": title, "rationale": rationale}, undoes)
	id, err := w.Append(p.Rec.Slug, t.ID, task.Draft{Kind: task.DecisionRecorded, Payload: payload})
	if err != nil {
		return task.Decision{}, err
	}
	d := task.Decision{ID: id, Project: p.Rec.Slug, Task: t.ID, Actor: w.By.Actor.Full(), Title: title, Rationale: rationale, At: w.Now()}
	if err := w.C.Exec(1, rows.InsertDecision, rows.DecisionValues(ref, &d)...); err != nil {
		return d, err
	}
	if err := w.Index.Add(textindex.Record{Kind: search.Decision, Task: ref, ID: id, Texts: []string{title, string(rationale)}}); err != nil {
		return d, err
	}
	t.Decisions++
	return d, w.C.Exec(1, `UPDATE task SET decisions=decisions+1 WHERE id=$1`, ref)
}

// WithdrawDecision removes a decision, and reports whether it was there. The event has what it said.
func (w Writer) WithdrawDecision(t *task.Task, d task.Decision, undoes ...int64) (bool, error) {
	p, ref, err := w.KeyOf(t.ID)
	if err != nil {
		return false, err
	}
	there := 0
	err = w.C.Query(`SELECT 1 FROM decision WHERE id=$1 AND task=$2`, []any{d.ID, ref}, db.Scan1(func(n int64) error { there++; return nil }))
	if err != nil || there == 0 {
		return false, err
	}
	if err := w.C.Exec(1, `DELETE FROM decision WHERE id=$1`, d.ID); err != nil {
		return false, err
	}
	if err := w.Index.Remove(textindex.Record{Kind: search.Decision, Task: ref, ID: d.ID}); err != nil {
		return false, err
	}
	payload := tx.Undoing(task.Payload{"decision": d.ID, "title": d.Title, "rationale": d.Rationale}, undoes)
	if err := w.AppendEach(p.Rec.Slug, t.ID, task.Draft{Kind: task.DecisionWithdrawn, Payload: payload}); err != nil {
		return false, err
	}
	t.Decisions--
	return true, w.C.Exec(1, `UPDATE task SET decisions=decisions-1 WHERE id=$1`, ref)
}

// EvidenceOf returns the evidence of many tasks of one project.
func (r Reader) EvidenceOf(ids []task.ID) ([]task.Evidence, error) {
	refs, err := r.Keys(ids)
	if err != nil {
		return nil, err
	}
	var out []task.Evidence
	err = db.Batches(refs, func(run []any) error {
		p, _, err := r.KeyOf(ids[0])
		if err != nil {
			return err
		}
		s := rows.Scanner{Slug: p.Rec.Slug}
		return r.C.Query(`SELECT `+rows.EvidenceColumns+` FROM evidence WHERE task IN `+db.In(1, len(run)), run, func(row db.Row) error {
			var e task.Evidence
			err := rows.ReadEvidence(&s, row, &e)
			out = append(out, e)
			return err
		})
	})
	sort.SliceStable(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out, err
}

// NewestEvidence returns the newest evidence of a task that fits a page, oldest first, and every kind that there is.
func (r Reader) NewestEvidence(id task.ID, newest int) (items []task.Evidence, kinds []string, err error) {
	p, ref, err := r.KeyOf(id)
	if err != nil {
		return nil, nil, err
	}
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, end := upTo(newest)
	whole := true
	err = end(r.C.Query(`SELECT `+rows.EvidenceColumns+` FROM evidence WHERE task=$1 ORDER BY id DESC LIMIT `+strconv.Itoa(newest), []any{ref},
		func(row db.Row) error {
			var e task.Evidence
			if err := rows.ReadEvidence(&s, row, &e); err != nil {
				return err
			}
			if err := take(query.EvidenceBytes(&e)); err != nil {
				whole = false
				return err
			}
			items = append(items, e)
			return nil
		}))
	if err != nil {
		return nil, nil, err
	}
	slices.Reverse(items)
	if whole && len(items) < newest {
		for _, e := range items {
			kinds = append(kinds, e.Kind)
		}
		return items, kinds, nil
	}
	err = r.C.Query(`SELECT DISTINCT kind FROM evidence WHERE task=$1`, []any{ref}, db.Scan1(func(kind string) error {
		kinds = append(kinds, kind)
		return nil
	}))
	return items, kinds, err
}

// Reader reads a task's notes, evidence, approvals, questions, decisions, bindings and guidance.
type Reader struct{ *tx.Tx }

// Writer writes a task's annotations, each with its event.
type Writer struct{ *tx.Member }
