package store

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// annotationBytes is roughly how many bytes of a task's newest notes, evidence or decisions are read.
const annotationBytes = 1 << 20

// pageOf returns the page for the newest records of a task; 0 means all of them.
func pageOf(newest int) *query.Taken {
	page := query.Page{Records: newest}
	if newest > 0 {
		page.Bytes = annotationBytes
	}
	return page.Taken()
}

// upTo returns the LIMIT clause of a statement; 0 means no limit.
func upTo(n int) string {
	if n == 0 {
		return ``
	}
	return ` LIMIT ` + strconv.Itoa(n)
}

// while returns the records that a statement finds, up to the first that does not fit the page; whole reports whether
// all of them fit.
func while[T any](c db.Conn, sql string, args []any, taken *query.Taken, s *rows.Scanner, read func(*rows.Scanner, db.Row, *T) error, bytes func(*T) int) (out []T, whole bool, err error) {
	err = c.Query(sql, args, func(row db.Row) error {
		out = append(out, *new(T)) // read in place: a variable of its own would be allocated for each record
		one := &out[len(out)-1]
		err := read(s, row, one)
		if err == nil && !taken.Add(bytes(one)) {
			out, err = out[:len(out)-1], ErrEnough
		}
		return err
	})
	if errors.Is(err, ErrEnough) {
		return out, false, nil
	}
	return out, true, err
}

// newestIn returns the newest records of a task in a table that fit a page, oldest first; 0 means all of them. whole
// reports whether all of them fit.
func newestIn[T any](tx *Tx, id task.ID, columns, table string, newest int, read func(*rows.Scanner, db.Row, *T) error, bytes func(*T) int) (out []T, whole bool, err error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, false, err
	}
	out, whole, err = while(tx.C, `SELECT `+columns+` FROM `+table+` WHERE task=$1 ORDER BY id DESC`+upTo(newest), []any{ref}, pageOf(newest),
		&rows.Scanner{Slug: p.Rec.Slug}, read, bytes)
	slices.Reverse(out)
	return out, whole, err
}

// Notes returns the newest notes of a task that fit a page, oldest first; 0 means all of them.
func (tx *Tx) Notes(id task.ID, newest int) ([]task.Note, error) {
	out, _, err := newestIn(tx, id, rows.NoteColumns, `note`, newest, rows.ReadNote, func(n *task.Note) int { return len(n.Text) })
	return out, err
}

// Evidence returns the evidence of a task, oldest first.
func (tx *Tx) Evidence(id task.ID) ([]task.Evidence, error) {
	return tx.EvidenceOf([]task.ID{id})
}

// Approvals returns the approvals of a task, oldest first; those of an earlier epoch are stale. All of them count, so
// it returns every one; it reads only the newest of their notes that fit a page.
func (tx *Tx) Approvals(id task.ID) ([]task.Approval, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	out, err := db.All(tx.C, `SELECT `+rows.ApprovalColumnsA+`
		FROM approval a JOIN task t ON t.id=a.task WHERE a.task=$1 ORDER BY a.id DESC`, []any{ref}, rows.Of(p.Rec.Slug, rows.ReadApproval))
	taken := pageOf(task.MaxListed)
	for i := range out {
		if !taken.Add(len(out[i].Note)) {
			out[i].Note = ""
		}
	}
	slices.Reverse(out)
	return out, err
}

// annotate records the event of a task's annotation. It returns the task's project and key, and the id of the event.
func (tx *Tx) annotate(id task.ID, ev task.Draft) (p *Project, ref, event int64, err error) {
	if p, ref, err = tx.KeyOf(id); err != nil {
		return nil, 0, 0, err
	}
	event, err = tx.Append(p.Rec.Slug, id, ev)
	return p, ref, event, err
}

// AddNote stores a note. Its id is that of its event.
func (tx *Tx) AddNote(t *task.Task, text string) (task.Note, error) {
	_, ref, id, err := tx.annotate(t.ID, task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": text}})
	if err != nil {
		return task.Note{}, err
	}
	n := task.Note{ID: id, Task: t.ID, Actor: tx.By.Actor.Full(), Text: text, At: tx.Now()}
	tx.Exec(1, rows.InsertNote, rows.NoteValues(ref, &n)...)
	tx.IndexText(Indexed{Kind: search.Note, Task: ref, ID: id, Texts: []string{text}})
	t.Notes++
	return n, tx.C.Exec(1, `UPDATE task SET notes=notes+1 WHERE id=$1`, ref)
}

// AddEvidence stores evidence, and resets the task's attempts. It answers a return from review, unless it is only of runs
// that failed; the event says which return, so that it can be taken back.
func (tx *Tx) AddEvidence(t *task.Task, items []task.EvidenceItem) ([]task.Evidence, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	var out []task.Evidence
	returned := t.Returned
	for _, it := range items {
		draft := EvidenceDraft(it)
		if it.For != "" {
			draft.Payload["for"] = it.For
		}
		if returned != 0 && !proven.Failed(it.Kind, it.Value) {
			draft.Payload["returned"] = task.Delta{From: returned, To: false}
			returned = 0
		}
		id, err := tx.Append(p.Rec.Slug, t.ID, draft)
		if err != nil {
			return nil, err
		}
		e := task.Evidence{ID: id, Task: t.ID, Actor: tx.By.Actor.Full(), Kind: it.Kind, Value: it.Value, Note: it.Note, For: it.For, At: tx.Now()}
		tx.Exec(1, rows.InsertEvidence, rows.EvidenceValues(ref, &e)...)
		if it.Output != "" {
			tx.Exec(1, `INSERT INTO evidence_output (id, task, text) VALUES ($1, $2, $3)`, id, ref, string(it.Output))
		}
		tx.IndexText(Indexed{Kind: search.Evidence, Task: ref, ID: id, Texts: []string{e.Kind, e.Value, string(e.Note)}})
		out = append(out, e)
	}
	t.Evidences += len(items)
	t.Attempts, t.Returned = 0, returned
	return out, tx.C.Exec(1, `UPDATE task SET evidences=evidences+$2, attempts=0, returned=$3 WHERE id=$1`, ref, len(items), returned)
}

// Outputs fills in what the runs among the evidence of one task printed last.
func (tx *Tx) Outputs(id task.ID, items []task.Evidence) error {
	if len(items) == 0 {
		return nil
	}
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return err
	}
	at := make(map[int64]int, len(items))
	for i, e := range items {
		at[e.ID] = i
	}
	return tx.C.Query(`SELECT id, text FROM evidence_output WHERE task=$1`, []any{ref}, db.Each2(func(id int64, text string) {
		if i, ok := at[id]; ok {
			items[i].Output = task.Opt(text)
		}
	}))
}

// EvidenceDraft returns the event of new evidence. What a run printed is not in it.
func EvidenceDraft(it task.EvidenceItem) task.Draft {
	return task.Draft{Kind: task.EvidenceAdded, Payload: task.Payload{"kind": it.Kind, "value": it.Value, "note": it.Note}}
}

// AddApproval stores an approval for the task's present epoch.
func (tx *Tx) AddApproval(t *task.Task, a task.Approval) (task.Approval, error) {
	payload := task.Payload{"kind": a.Kind, "role": a.Role, "note": a.Note}
	_, ref, id, err := tx.annotate(t.ID, task.Draft{Kind: task.ApprovalGiven, Payload: payload})
	if err != nil {
		return a, err
	}
	a.ID, a.Task, a.Actor, a.At, a.Epoch = id, t.ID, tx.By.Actor.Full(), tx.Now(), t.ApprovalEpoch
	values, err := rows.ApprovalValues(ref, &a)
	if err != nil {
		return a, err
	}
	tx.Exec(1, rows.InsertApproval, values...)
	t.Approvals++
	return a, tx.C.Exec(1, `UPDATE task SET approvals=approvals+1 WHERE id=$1`, ref)
}

// ApprovalsOf returns the approvals of many tasks of a project that still count.
func (tx *Tx) ApprovalsOf(slug string, ids []task.ID) (map[task.ID][]task.Approval, error) {
	p, refs, err := tx.FindKeys(slug, ids)
	if err != nil {
		return nil, err
	}
	all, err := db.AllIn(tx.C, `SELECT `+rows.ApproverColumnsA+` FROM approval a JOIN task t ON t.id=a.task
		WHERE a.epoch=t.approval_epoch AND a.task IN KEYS`, refs, rows.Of(p.Rec.Slug, rows.ReadApprover))
	out := map[task.ID][]task.Approval{}
	for _, a := range all {
		out[a.Task] = append(out[a.Task], a)
	}
	return out, err
}

// RequestApproval records a request for approvals. From then on the task waits for people.
func (tx *Tx) RequestApproval(t *task.Task, ev task.Draft) error {
	_, ref, id, err := tx.annotate(t.ID, ev)
	if err != nil || t.AwaitingSince != 0 || t.Status.Closed() {
		return err
	}
	t.AwaitingSince = id
	return tx.C.Exec(1, `UPDATE task SET awaiting=$2 WHERE id=$1 AND awaiting=0`, ref, id)
}

// Decisions returns the newest decisions about a task that fit a page, oldest first.
func (tx *Tx) Decisions(id task.ID, newest int) ([]task.Decision, error) {
	out, _, err := newestIn(tx, id, rows.DecisionColumns, `decision`, newest, rows.ReadDecision,
		func(d *task.Decision) int { return len(d.Title) + len(d.Rationale) })
	return out, err
}

// Bindings returns the bindings of a task, oldest first.
func (tx *Tx) Bindings(id task.ID) ([]task.Binding, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT `+rows.BindingColumns+` FROM binding WHERE task=$1 ORDER BY id`, []any{ref}, rows.Of(p.Rec.Slug, rows.ReadBinding))
}

// AddDecision stores a decision. Its id is that of its event.
func (tx *Tx) AddDecision(t *task.Task, title string, rationale task.Opt, undoes ...int64) (task.Decision, error) {
	payload := Undoing(task.Payload{"title": title, "rationale": rationale}, undoes)
	p, ref, id, err := tx.annotate(t.ID, task.Draft{Kind: task.DecisionRecorded, Payload: payload})
	if err != nil {
		return task.Decision{}, err
	}
	d := task.Decision{ID: id, Project: p.Rec.Slug, Task: t.ID, Actor: tx.By.Actor.Full(), Title: title, Rationale: rationale, At: tx.Now()}
	tx.Exec(1, rows.InsertDecision, rows.DecisionValues(ref, &d)...)
	tx.IndexText(Indexed{Kind: search.Decision, Task: ref, ID: id, Texts: []string{title, string(rationale)}})
	t.Decisions++
	return d, tx.C.Exec(1, `UPDATE task SET decisions=decisions+1 WHERE id=$1`, ref)
}

// WithdrawDecision removes a decision, and reports whether it existed. The event keeps its text.
func (tx *Tx) WithdrawDecision(t *task.Task, d task.Decision, undoes ...int64) (bool, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return false, err
	}
	if there, err := db.Some(tx.C, `SELECT 1 FROM decision WHERE id=$1 AND task=$2`, d.ID, ref); err != nil || !there {
		return false, err
	}
	tx.Exec(1, `DELETE FROM decision WHERE id=$1`, d.ID)
	tx.UnindexText(Indexed{Kind: search.Decision, Task: ref, ID: d.ID})
	payload := Undoing(task.Payload{"decision": d.ID, "title": d.Title, "rationale": d.Rationale}, undoes)
	if err := tx.Record(p.Rec.Slug, t.ID, task.Draft{Kind: task.DecisionWithdrawn, Payload: payload}); err != nil {
		return false, err
	}
	t.Decisions--
	return true, tx.C.Exec(1, `UPDATE task SET decisions=decisions-1 WHERE id=$1`, ref)
}

// EvidenceOf returns the evidence of many tasks of one project.
func (tx *Tx) EvidenceOf(ids []task.ID) ([]task.Evidence, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	p, refs, err := tx.keysOf(ids)
	if err != nil {
		return nil, err
	}
	out, err := db.AllIn(tx.C, `SELECT `+rows.EvidenceColumns+` FROM evidence WHERE task IN KEYS`, refs, rows.Of(p.Rec.Slug, rows.ReadEvidence))
	slices.SortStableFunc(out, func(a, b task.Evidence) int { return cmp.Compare(a.ID, b.ID) })
	return out, err
}

// NewestEvidence returns the newest evidence of a task that fits a page, oldest first, and every kind of evidence that
// it has.
func (tx *Tx) NewestEvidence(id task.ID, newest int) (items []task.Evidence, kinds []string, err error) {
	items, whole, err := newestIn(tx, id, rows.EvidenceColumns, `evidence`, newest, rows.ReadEvidence, query.EvidenceBytes)
	if err != nil {
		return nil, nil, err
	}
	if whole && len(items) < newest {
		return items, words.Each(items, func(e task.Evidence) string { return e.Kind }), nil
	}
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, nil, err
	}
	kinds, err = db.Values[string](tx.C, `SELECT DISTINCT kind FROM evidence WHERE task=$1`, ref)
	return items, kinds, err
}
