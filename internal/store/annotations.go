package store

import (
	"errors"
	"slices"
	"sort"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/store/textindex"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// besideBytes is how many bytes of its newest notes, evidence or decisions are read of a task, about.
const besideBytes = 1 << 20

// upToNewest returns what takes records while they fit, the first in any case, and what ends a query where they do not.
func upToNewest(newest int) (take func(bytes int) error, end func(error) error) {
	page := query.Page{Records: newest}
	if newest > 0 {
		page.Bytes = besideBytes
	}
	taken := page.Taken()
	take = func(bytes int) error {
		if !taken.Add(bytes) {
			return ErrEnough
		}
		return nil
	}
	return take, func(err error) error {
		if errors.Is(err, ErrEnough) {
			return nil
		}
		return err
	}
}

// Notes returns the newest notes of a task that fit a page, oldest first; all of them for 0.
func (tx *Tx) Notes(id task.ID, newest int) ([]task.Note, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	sql := `SELECT ` + rows.NoteColumns + ` FROM note WHERE task=$1 ORDER BY id DESC`
	if newest > 0 {
		sql += ` LIMIT ` + strconv.Itoa(newest)
	}
	var out []task.Note
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, end := upToNewest(newest)
	err = end(tx.C.Query(sql, []any{ref}, func(row db.Row) error {
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
func (tx *Tx) Evidence(id task.ID) ([]task.Evidence, error) {
	return tx.EvidenceOf([]task.ID{id})
}

// Approvals returns the approvals of a task, oldest first; those of an earlier epoch are stale. All of them count, so none is left
// out; of their notes it reads the newest that fit a page.
func (tx *Tx) Approvals(id task.ID) ([]task.Approval, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Approval
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, _ := upToNewest(task.MaxListed)
	err = tx.C.Query(`SELECT `+rows.ApprovalColumnsA+`
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
func (tx *Tx) AddNote(t *task.Task, text string) (task.Note, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return task.Note{}, err
	}
	id, err := tx.Append(p.Rec.Slug, t.ID, task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": text}})
	if err != nil {
		return task.Note{}, err
	}
	n := task.Note{ID: id, Task: t.ID, Actor: tx.By.Actor.Full(), Text: text, At: tx.Now()}
	if err := tx.C.Exec(1, rows.InsertNote, rows.NoteValues(ref, &n)...); err != nil {
		return n, err
	}
	if err := tx.Index.Add(textindex.Record{Kind: search.Note, Task: ref, ID: id, Texts: []string{text}}); err != nil {
		return n, err
	}
	t.Notes++
	return n, tx.C.Exec(1, `UPDATE task SET notes=notes+1 WHERE id=$1`, ref)
}

// AddEvidence stores evidence, and resets the task's attempts.
func (tx *Tx) AddEvidence(t *task.Task, items []task.EvidenceItem) ([]task.Evidence, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	var out []task.Evidence
	for _, it := range items {
		id, err := tx.Append(p.Rec.Slug, t.ID, EvidenceDraft(it))
		if err != nil {
			return nil, err
		}
		e := task.Evidence{ID: id, Task: t.ID, Actor: tx.By.Actor.Full(), Kind: it.Kind, Value: it.Value, Note: it.Note, At: tx.Now()}
		if err := tx.C.Exec(1, rows.InsertEvidence, rows.EvidenceValues(ref, &e)...); err != nil {
			return nil, err
		}
		if err := tx.Index.Add(textindex.Record{Kind: search.Evidence, Task: ref, ID: id, Texts: []string{e.Kind, e.Value, string(e.Note)}}); err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	t.Evidences += len(items)
	t.Attempts = 0
	return out, tx.C.Exec(1, `UPDATE task SET evidences=evidences+$2, attempts=0 WHERE id=$1`, ref, len(items))
}

// EvidenceDraft returns the event of new evidence.
func EvidenceDraft(it task.EvidenceItem) task.Draft {
	return task.Draft{Kind: task.EvidenceAdded, Payload: task.Payload{"kind": it.Kind, "value": it.Value, "note": it.Note}}
}

// AddApproval stores an approval for the task's present epoch.
func (tx *Tx) AddApproval(t *task.Task, a task.Approval) (task.Approval, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return a, err
	}
	payload := task.Payload{"kind": a.Kind, "role": a.Role, "note": a.Note}
	if a.ID, err = tx.Append(p.Rec.Slug, t.ID, task.Draft{Kind: task.ApprovalGiven, Payload: payload}); err != nil {
		return a, err
	}
	a.Task, a.Actor, a.At, a.Epoch = t.ID, tx.By.Actor.Full(), tx.Now(), t.ApprovalEpoch
	values, err := rows.ApprovalValues(ref, &a)
	if err != nil {
		return a, err
	}
	if err := tx.C.Exec(1, rows.InsertApproval, values...); err != nil {
		return a, err
	}
	t.Approvals++
	return a, tx.C.Exec(1, `UPDATE task SET approvals=approvals+1 WHERE id=$1`, ref)
}

// ApprovalsOf returns the approvals of many tasks of a project that still count.
func (tx *Tx) ApprovalsOf(slug string, ids []task.ID) (map[task.ID][]task.Approval, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	refs, err := tx.Keys(ids)
	if err != nil {
		return nil, err
	}
	out, s := map[task.ID][]task.Approval{}, rows.Scanner{Slug: p.Rec.Slug}
	return out, db.Batches(refs, func(run []any) error {
		return tx.C.Query(`SELECT `+rows.ApproverColumnsA+` FROM approval a JOIN task t ON t.id=a.task
			WHERE a.epoch=t.approval_epoch AND a.task IN `+db.In(1, len(run)), run, func(row db.Row) error {
			var a task.Approval
			err := rows.ReadApprover(&s, row, &a)
			out[a.Task] = append(out[a.Task], a)
			return err
		})
	})
}

// RequestApproval records that approvals were asked for. From then on the task waits for people.
func (tx *Tx) RequestApproval(t *task.Task, ev task.Draft) error {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return err
	}
	id, err := tx.Append(p.Rec.Slug, t.ID, ev)
	if err != nil || t.AwaitingSince != 0 || t.Status.Closed() {
		return err
	}
	t.AwaitingSince = id
	return tx.C.Exec(1, `UPDATE task SET awaiting=$2 WHERE id=$1 AND awaiting=0`, ref, id)
}

// Decisions returns the newest decisions about a task that fit a page, oldest first.
func (tx *Tx) Decisions(id task.ID, newest int) ([]task.Decision, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Decision
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, end := upToNewest(newest)
	err = end(tx.C.Query(`SELECT `+rows.DecisionColumns+` FROM decision WHERE task=$1 ORDER BY id DESC LIMIT `+strconv.Itoa(newest), []any{ref},
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
func (tx *Tx) Bindings(id task.ID) ([]task.Binding, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	var out []task.Binding
	s := rows.Scanner{Slug: p.Rec.Slug}
	err = tx.C.Query(`SELECT `+rows.BindingColumns+` FROM binding WHERE task=$1 ORDER BY id`, []any{ref}, func(row db.Row) error {
		var b task.Binding
		err := rows.ReadBinding(&s, row, &b)
		out = append(out, b)
		return err
	})
	return out, err
}

// AddDecision stores a decision. Its id is that of its event.
func (tx *Tx) AddDecision(t *task.Task, title string, rationale task.Opt, undoes ...int64) (task.Decision, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return task.Decision{}, err
	}
	payload := Undoing(task.Payload{"title": title, "rationale": rationale}, undoes)
	id, err := tx.Append(p.Rec.Slug, t.ID, task.Draft{Kind: task.DecisionRecorded, Payload: payload})
	if err != nil {
		return task.Decision{}, err
	}
	d := task.Decision{ID: id, Project: p.Rec.Slug, Task: t.ID, Actor: tx.By.Actor.Full(), Title: title, Rationale: rationale, At: tx.Now()}
	if err := tx.C.Exec(1, rows.InsertDecision, rows.DecisionValues(ref, &d)...); err != nil {
		return d, err
	}
	if err := tx.Index.Add(textindex.Record{Kind: search.Decision, Task: ref, ID: id, Texts: []string{title, string(rationale)}}); err != nil {
		return d, err
	}
	t.Decisions++
	return d, tx.C.Exec(1, `UPDATE task SET decisions=decisions+1 WHERE id=$1`, ref)
}

// WithdrawDecision removes a decision, and reports whether it was there. The event has what it said.
func (tx *Tx) WithdrawDecision(t *task.Task, d task.Decision, undoes ...int64) (bool, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return false, err
	}
	there := 0
	err = tx.C.Query(`SELECT 1 FROM decision WHERE id=$1 AND task=$2`, []any{d.ID, ref}, db.Scan1(func(n int64) error { there++; return nil }))
	if err != nil || there == 0 {
		return false, err
	}
	if err := tx.C.Exec(1, `DELETE FROM decision WHERE id=$1`, d.ID); err != nil {
		return false, err
	}
	if err := tx.Index.Remove(textindex.Record{Kind: search.Decision, Task: ref, ID: d.ID}); err != nil {
		return false, err
	}
	payload := Undoing(task.Payload{"decision": d.ID, "title": d.Title, "rationale": d.Rationale}, undoes)
	if err := tx.AppendEach(p.Rec.Slug, t.ID, task.Draft{Kind: task.DecisionWithdrawn, Payload: payload}); err != nil {
		return false, err
	}
	t.Decisions--
	return true, tx.C.Exec(1, `UPDATE task SET decisions=decisions-1 WHERE id=$1`, ref)
}

// EvidenceOf returns the evidence of many tasks of one project.
func (tx *Tx) EvidenceOf(ids []task.ID) ([]task.Evidence, error) {
	refs, err := tx.Keys(ids)
	if err != nil {
		return nil, err
	}
	var out []task.Evidence
	err = db.Batches(refs, func(run []any) error {
		p, _, err := tx.KeyOf(ids[0])
		if err != nil {
			return err
		}
		s := rows.Scanner{Slug: p.Rec.Slug}
		return tx.C.Query(`SELECT `+rows.EvidenceColumns+` FROM evidence WHERE task IN `+db.In(1, len(run)), run, func(row db.Row) error {
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
func (tx *Tx) NewestEvidence(id task.ID, newest int) (items []task.Evidence, kinds []string, err error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, nil, err
	}
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, end := upToNewest(newest)
	whole := true
	err = end(tx.C.Query(`SELECT `+rows.EvidenceColumns+` FROM evidence WHERE task=$1 ORDER BY id DESC LIMIT `+strconv.Itoa(newest), []any{ref},
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
	err = tx.C.Query(`SELECT DISTINCT kind FROM evidence WHERE task=$1`, []any{ref}, db.Scan1(func(kind string) error {
		kinds = append(kinds, kind)
		return nil
	}))
	return items, kinds, err
}
