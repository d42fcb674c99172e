package store

import (
	"sort"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Questions returns the questions of a task that were not withdrawn and that fit a page, oldest first, and how many there are:
// those that keep the task back before others, and of each the newest.
func (tx *Tx) Questions(id task.ID, newest int) (out []task.Question, total int, err error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, 0, err
	}
	s := rows.Scanner{Slug: p.Rec.Slug}
	take, end := upToNewest(newest)
	cut := false
	for _, which := range []string{`blocking=1 AND answered_at=0`, `(blocking=0 OR answered_at>0)`} {
		err = tx.C.Query(`SELECT `+rows.QuestionColumns+` FROM question WHERE task=$1 AND withdrawn=0 AND `+which+`
			ORDER BY id DESC LIMIT `+strconv.Itoa(newest), []any{ref}, func(row db.Row) error {
			var q task.Question
			if err := rows.ReadQuestion(&s, row, &q); err != nil {
				return err
			}
			if err := take(len(q.Text) + len(q.Answer)); err != nil {
				cut = true
				return err
			}
			out = append(out, q)
			return nil
		})
		if err = end(err); err != nil {
			return nil, 0, err
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	if total = len(out); cut || total >= newest {
		err = tx.C.Query(`SELECT COUNT(*) FROM question WHERE task=$1 AND withdrawn=0`, []any{ref}, db.Scan1(func(n int64) error {
			total = int(n)
			return nil
		}))
	}
	return out, total, err
}

// HoldingBack returns the oldest question that keeps a task back, or nil.
func (tx *Tx) HoldingBack(id task.ID) (first *task.Question, err error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	s := rows.Scanner{Slug: p.Rec.Slug}
	err = tx.C.Query(`SELECT `+rows.QuestionColumns+` FROM question WHERE task=$1 AND withdrawn=0 AND blocking=1 AND answered_at=0 ORDER BY id LIMIT 1`,
		[]any{ref}, func(row db.Row) error {
			first = &task.Question{}
			return rows.ReadQuestion(&s, row, first)
		})
	return first, err
}

// OpenQuestions returns how many questions of a task wait for an answer.
func (tx *Tx) OpenQuestions(id task.ID) (open int, err error) {
	_, ref, err := tx.KeyOf(id)
	if err != nil {
		return 0, err
	}
	err = tx.C.Query(`SELECT COUNT(*) FROM question WHERE task=$1 AND withdrawn=0 AND answered_at=0`, []any{ref}, db.Scan1(func(n int64) error {
		open = int(n)
		return nil
	}))
	return open, err
}

// Question returns one question, withdrawn or not.
func (tx *Tx) Question(id int64) (*task.Question, error) {
	slugs, err := tx.SlugsByID()
	if err != nil {
		return nil, err
	}
	var q *task.Question
	err = tx.C.Query(`SELECT `+rows.QuestionColumns+` FROM question WHERE id=$1`, []any{id}, func(row db.Row) error {
		q = &task.Question{}
		return rows.ReadQuestion(&rows.Scanner{Slugs: slugs}, row, q)
	})
	if err != nil {
		return nil, err
	}
	none := fault.Missing("there is no question %d", id).WithHint("%s lists those of a task", hint.Show("ID"))
	if q == nil {
		return nil, none
	}
	if _, _, err := tx.KeyOf(q.Task); fault.Is(err, fault.NotFound) { // of a project that the reader does not see
		return nil, none
	} else if err != nil {
		return nil, err
	}
	return q, nil
}

// AskQuestion stores a question, whose id is that of its event. A blocking one takes its task off the frontier.
func (tx *Tx) AskQuestion(t *task.Task, q task.Question) (task.Question, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return q, err
	}
	payload := task.Payload{"text": q.Text, "blocking": q.Blocking, "to": q.To}
	if q.ID, err = tx.Append(p.Rec.Slug, t.ID, task.Draft{Kind: task.QuestionAsked, Payload: payload}); err != nil {
		return q, err
	}
	q.Task, q.Actor, q.AskedAt = t.ID, tx.By.Actor.Full(), tx.Now()
	if err := tx.C.Exec(1, rows.InsertQuestion, rows.QuestionValues(ref, &q)...); err != nil {
		return q, err
	}
	if err := tx.holdBack(p, t, One(q.Blocking)); err != nil {
		return q, err
	}
	t.QuestionCount++
	return q, tx.C.Exec(1, `UPDATE task SET asked=asked+1 WHERE id=$1`, ref)
}

// AnswerQuestion stores the answer to a question that is still open. The last answer to a blocking question puts the
// task back on the frontier.
func (tx *Tx) AnswerQuestion(q *task.Question, text string) error {
	ended := *q
	ended.Answer, ended.AnsweredBy, ended.AnsweredAt = task.Opt(text), task.Opt(tx.By.Actor.Full()), tx.Now()
	if err := tx.C.Exec(1, `UPDATE question SET answer=$2, answered_by=$3, answered_at=$4 WHERE id=$1 AND answered_at=0 AND withdrawn=0`,
		q.ID, text, string(ended.AnsweredBy), int64(ended.AnsweredAt)); err != nil {
		return err
	}
	return tx.endQuestion(q, ended, task.Draft{Kind: task.QuestionAnswered, Payload: task.Payload{
		"question": q.ID, "blocking": q.Blocking, "text": text,
	}})
}

// WithdrawQuestion withdraws a question that is still open.
func (tx *Tx) WithdrawQuestion(q *task.Question, undoes ...int64) error {
	ended := *q
	ended.Withdrawn = true
	if err := tx.C.Exec(1, `UPDATE question SET withdrawn=1 WHERE id=$1 AND answered_at=0 AND withdrawn=0`, q.ID); err != nil {
		return err
	}
	return tx.endQuestion(q, ended, task.Draft{Kind: task.QuestionWithdrawn, Payload: Undoing(task.Payload{
		"question": q.ID, "blocking": q.Blocking,
	}, undoes)})
}

func (tx *Tx) endQuestion(q *task.Question, ended task.Question, ev task.Draft) error {
	p, _, err := tx.KeyOf(q.Task)
	if err != nil {
		return err
	}
	if _, err := tx.Append(p.Rec.Slug, q.Task, ev); err != nil {
		return err
	}
	t, err := tx.Load(q.Task)
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
		if before, err = tx.Load(t.ID); err != nil {
			return err
		}
	}
	was := *before
	now := was
	now.Questions += by
	if err := tx.C.Exec(1, `UPDATE task SET questions=questions+$2, stirred=$3 WHERE id=$1`, ref, by, tx.Turn.LastEvent); err != nil {
		return err
	}
	t.Questions, t.LastEvent = now.Questions, tx.Turn.LastEvent
	if err := tx.Relocate(p, &was, &now); err != nil {
		return err
	}
	tx.NoteUnblocked(&was, &now)
	return nil
}
