package store

import (
	"cmp"
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Questions returns the questions of a task that were not withdrawn and that fit a page, oldest first, and how many
// there are. It prefers questions that hold the task back, then the newest.
func (tx *Tx) Questions(id task.ID, newest int) (out []task.Question, total int, err error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, 0, err
	}
	taken, cut := pageOf(newest), false
	for _, which := range []string{`blocking=1 AND answered_at=0`, `(blocking=0 OR answered_at>0)`} {
		some, whole, err := while(tx.C, `SELECT `+rows.QuestionColumns+` FROM question WHERE task=$1 AND withdrawn=0 AND `+which+`
			ORDER BY id DESC`+upTo(newest), []any{ref}, taken, &rows.Scanner{Slug: p.Rec.Slug}, rows.ReadQuestion, func(q *task.Question) int { return len(q.Text) + len(q.Answer) })
		if err != nil {
			return nil, 0, err
		}
		out, cut = append(out, some...), cut || !whole
	}
	slices.SortStableFunc(out, func(a, b task.Question) int { return cmp.Compare(a.ID, b.ID) })
	if total = len(out); cut || total >= newest {
		total, err = db.Value[int](tx.C, `SELECT COUNT(*) FROM question WHERE task=$1 AND withdrawn=0`, ref)
	}
	return out, total, err
}

// HoldingBack returns the oldest question that holds a task back, or nil.
func (tx *Tx) HoldingBack(id task.ID) (*task.Question, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	return db.First(tx.C, `SELECT `+rows.QuestionColumns+` FROM question WHERE task=$1 AND withdrawn=0 AND blocking=1 AND answered_at=0 ORDER BY id LIMIT 1`,
		[]any{ref}, rows.Of(p.Rec.Slug, rows.ReadQuestion))
}

// Blocked returns tasks of a project that have an open blocking question, in the order in which the questions were asked.
// It looks at no more than limit questions.
func (tx *Tx) Blocked(slug string, limit int) ([]*task.Task, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	refs, err := db.Values[int64](tx.C, `SELECT task FROM question WHERE project=$1 AND blocking=1 AND answered_at=0 AND withdrawn=0
		ORDER BY id LIMIT `+strconv.Itoa(limit), p.ID)
	if err != nil {
		return nil, err
	}
	var ids []task.ID
	for _, ref := range refs {
		if id := p.TaskID(ref); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return tx.TasksByID(ids)
}

// Put returns up to limit of the questions that block nothing, were put to somebody in a project after an event, and wait
// for their answer: the newest ones.
func (tx *Tx) Put(slug string, after int64, limit int) ([]task.Question, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT `+rows.QuestionColumns+` FROM question WHERE project=$1 AND id>$2 AND addressee<>'' AND blocking=0 AND answered_at=0
		AND withdrawn=0 ORDER BY id DESC LIMIT `+strconv.Itoa(limit), []any{p.ID, after}, rows.Of(p.Rec.Slug, rows.ReadQuestion))
}

// OpenQuestions returns how many questions of a task wait for an answer.
func (tx *Tx) OpenQuestions(id task.ID) (int, error) {
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return 0, err
	}
	return db.Value[int](tx.C, `SELECT COUNT(*) FROM question WHERE task=$1 AND withdrawn=0 AND answered_at=0`, ref)
}

// Question returns one question, withdrawn or not.
func (tx *Tx) Question(id int64) (*task.Question, error) {
	slugs, err := tx.SlugsByID()
	if err != nil {
		return nil, err
	}
	q, err := db.First(tx.C, `SELECT `+rows.QuestionColumns+` FROM question WHERE id=$1`, []any{id}, rows.By(&rows.Scanner{Slugs: slugs}, rows.ReadQuestion))
	if err == nil && q != nil {
		_, _, err = tx.KeyOf(q.Task)
	}
	if err == nil && q == nil || fault.Is(err, fault.NotFound) { // the reader does not see its project
		return nil, fault.Missing("there is no question %d", id).WithHint("%s lists those of a task", hint.Show("ID"))
	}
	return q, err
}

// AskQuestion stores a question, whose id is that of its event. A blocking one takes its task off the frontier.
func (tx *Tx) AskQuestion(t *task.Task, q task.Question) (task.Question, error) {
	payload := task.Payload{"text": q.Text, "blocking": q.Blocking, "to": q.To}
	p, ref, id, err := tx.annotate(t.ID, task.Draft{Kind: task.QuestionAsked, Payload: payload})
	if err != nil {
		return q, err
	}
	q.ID, q.Task, q.Actor, q.AskedAt = id, t.ID, tx.By.Actor.Full(), tx.Now()
	tx.Exec(1, rows.InsertQuestion, rows.QuestionValues(ref, &q)...)
	if err := tx.holdBack(p, t, One(q.Blocking)); err != nil {
		return q, err
	}
	t.QuestionCount++
	return q, tx.C.Exec(1, `UPDATE task SET asked=asked+1 WHERE id=$1`, ref)
}

// AnswerQuestion stores the answer to an open question. The last answer to a blocking question puts the task back on
// the frontier.
func (tx *Tx) AnswerQuestion(q *task.Question, text string) error {
	ended := *q
	ended.Answer, ended.AnsweredBy, ended.AnsweredAt = task.Opt(text), task.Opt(tx.By.Actor.Full()), tx.Now()
	tx.Exec(1, `UPDATE question SET answer=$2, answered_by=$3, answered_at=$4 WHERE id=$1 AND answered_at=0 AND withdrawn=0`,
		q.ID, text, string(ended.AnsweredBy), int64(ended.AnsweredAt))
	return tx.endQuestion(q, ended, task.Draft{Kind: task.QuestionAnswered, Payload: task.Payload{
		"question": q.ID, "blocking": q.Blocking, "text": text,
	}})
}

// WithdrawQuestion withdraws an open question.
func (tx *Tx) WithdrawQuestion(q *task.Question, undoes ...int64) error {
	ended := *q
	ended.Withdrawn = true
	tx.Exec(1, `UPDATE question SET withdrawn=1 WHERE id=$1 AND answered_at=0 AND withdrawn=0`, q.ID)
	return tx.endQuestion(q, ended, task.Draft{Kind: task.QuestionWithdrawn, Payload: Undoing(task.Payload{
		"question": q.ID, "blocking": q.Blocking,
	}, undoes)})
}

func (tx *Tx) endQuestion(q *task.Question, ended task.Question, ev task.Draft) error {
	p, _, _, err := tx.annotate(q.Task, ev)
	if err != nil {
		return err
	}
	t, err := tx.Task(q.Task)
	if err != nil {
		return err
	}
	*q = ended
	return tx.holdBack(p, t, -One(q.Blocking))
}

// holdBack changes a task's count of open blocking questions, and its place on the frontier.
func (tx *Tx) holdBack(p *Project, t *task.Task, by int) error {
	if by == 0 {
		return nil
	}
	ref := p.KeyOf(t)
	before := t
	if !tx.Fresh[ref] {
		var err error
		if before, err = tx.Task(t.ID); err != nil {
			return err
		}
	}
	was := *before
	now := was
	now.Questions += by
	tx.Exec(1, `UPDATE task SET questions=questions+$2, stirred=$3 WHERE id=$1`, ref, by, tx.Turn.LastEvent)
	t.Questions, t.LastEvent = now.Questions, tx.Turn.LastEvent
	if err := tx.Relocate(p, &was, &now); err != nil {
		return err
	}
	tx.NoteUnblocked(&was, &now)
	return nil
}
