package work

import (
	"cmp"
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
)

// AskIn asks a question about a task. With release, the asker gives the task back in the same step, and with next it
// claims another.
type AskIn struct {
	Task     string `path:"id" json:"-"`
	Text     string `json:"text"`
	Blocking bool   `json:"blocking,omitzero"`
	To       string `json:"to,omitzero" about:"the actor or role that should answer; anybody unless given"`
	Release  bool   `json:"release,omitzero"`
	Next     bool   `json:"next,omitzero" about:"with release: claim the next task in the same step"`
	Fence    *int64 `json:"fence,omitzero"`
}

// AskOut is a question as its asker gets it: with who can answer it, and whether asking gave the task back.
type AskOut struct {
	task.Question
	For      string `json:"for"`      // who can answer it: its addressee, or the humans of the project
	Released bool   `json:"released"` // the asker held the task, and no longer does

	Next *NextOut `json:"next"` // null if it was not requested
}

// AnswerIn answers a question.
type AnswerIn struct {
	Question int64  `path:"id" json:"-" about:"number of the question"`
	Text     string `json:"text"`
}

// QuestionIn names a question.
type QuestionIn struct {
	Question int64 `path:"id" json:"-" about:"number of the question"`
}

// Ask adds a question to a task. Anyone may; a blocking one takes the task off the frontier until it is answered or
// withdrawn. It extends the asker's lease, unless the claim is given back. With next, the following task is claimed in the
// same transaction.
func (s *Service) Ask(ctx context.Context, in AskIn) (AskOut, error) {
	if err := fault.At("text", task.CheckText("the question", in.Text, task.MaxText)); err != nil {
		return AskOut{}, err
	}
	if in.To != "" {
		if _, _, err := task.ParseActor(in.To); err != nil {
			return AskOut{}, fault.At("to", err)
		}
	}
	if in.Next && !in.Release {
		return AskOut{}, fault.Bad("next claims another task, and this one is not given back").WithMissing("next").
			WithHint("add release, or leave next out")
	}
	type both struct {
		AskOut
		next answered
	}
	write := func(guidance core.Prints) (both, error) {
		return core.WriteThen(ctx, s.Env, func(tx *store.Tx) (asked, error) { return s.ask(ctx, tx, in, guidance) },
			func(tx *store.Tx, q asked) (out both, err error) {
				var claimed task.ID
				if out.AskOut = q.AskOut; q.Next != nil {
					out.next, err = s.answerNext(ctx, tx, *q.Next)
					out.Next, claimed = &out.next.NextOut, q.Next.Task
				}
				_ = s.Hear(ctx, tx, q.Project, claimed) // it is asked, whether or not there is news
				return out, err
			},
			func(q asked) (out both, changed bool) {
				if out.AskOut = q.AskOut; q.Next != nil {
					out.Next = new(q.Next.bare())
				}
				return out, true
			})
	}
	var out both
	var err error
	if in.Next {
		out, err = core.Guided(ctx, s.Env, write)
	} else {
		out, err = write(core.Prints{})
	}
	if err != nil {
		return AskOut{}, err
	}
	s.finish(out.Next, out.next.draft)
	return out.AskOut, nil
}

// asked is what the turn of a question returns.
type asked struct {
	AskOut  AskOut  `json:"ask"`
	Project string  `json:"project"`
	Next    *chosen `json:"next"`
}

// ask asks in a turn.
func (s *Service) ask(ctx context.Context, tx *store.Tx, in AskIn, guidance core.Prints) (asked, error) {
	t, p, a, pol, err := s.toWrite(ctx, tx, in.Task, in.Fence)
	if err != nil {
		return asked{}, err
	}
	if err := t.CheckFence(in.Fence); err != nil {
		return asked{}, err
	}
	if in.Release && t.HeldByOther(a, tx.Now()) { // a human may end another's claim, but not as a side effect
		return asked{}, fault.Decline("%s is %s: asking gives back only what you hold yourself", t.ID, t.Claim).
			WithHint("ask without release, or have its holder or a human release it first (%s)", hint.Release(t.ID))
	}
	q, err := tx.AskQuestion(t, task.Question{Text: in.Text, Blocking: in.Blocking, To: task.Opt(in.To)})
	if err != nil {
		return asked{}, err
	}
	out := asked{AskOut: AskOut{Question: q, For: cmp.Or(in.To, pol.AnyHuman())}, Project: p.Slug}
	if !in.Release {
		_, err = addedTo(ctx, tx, t, in.Fence, q.ID)
		return out, err
	}
	if a.Holds(t.Claim) {
		s.LetGo(t)
	}
	held, err := core.Release(tx, a, t, nil, false)
	out.AskOut.Released = held != ""
	if err != nil || !in.Next {
		return out, err
	}
	next, err := s.claimNext(ctx, tx, NextIn{Project: p.Slug, Last: []string{string(t.ID)}}, guidance)
	out.Next = &next
	return out, err
}

// Answer answers a question. Only its addressee or a human may answer a blocking one, never its asker. A human who answers
// what was asked about a task that keeps failing has thereby acknowledged the failures.
func (s *Service) Answer(ctx context.Context, in AnswerIn) (task.Question, error) {
	if err := fault.At("text", task.CheckText("the answer", in.Text, task.MaxText)); err != nil {
		return task.Question{}, err
	}
	return s.endQuestion(ctx, in.Question, (*task.Question).AnswerBy, func(tx *store.Tx, q *task.Question) error {
		return tx.AnswerQuestion(q, in.Text)
	})
}

// Withdraw withdraws a question. Only its asker may.
func (s *Service) Withdraw(ctx context.Context, in QuestionIn) (task.Question, error) {
	may := func(q *task.Question, a task.Actor, _ bool) error { return q.WithdrawBy(a) }
	return s.endQuestion(ctx, in.Question, may, func(tx *store.Tx, q *task.Question) error {
		return tx.WithdrawQuestion(q)
	})
}

func (s *Service) endQuestion(
	ctx context.Context,
	id int64,
	may func(q *task.Question, a task.Actor, byAgent bool) error,
	end func(*store.Tx, *task.Question) error,
) (task.Question, error) {
	return core.Write(ctx, s.Env, func(tx *store.Tx) (task.Question, error) {
		q, err := tx.Question(id)
		if err != nil {
			return task.Question{}, err
		}
		t, p, a, _, err := s.toWrite(ctx, tx, string(q.Task), nil)
		if err != nil {
			return task.Question{}, err
		}
		asker, err := s.KindIn(tx, p, q.Actor)
		if err != nil {
			return task.Question{}, err
		}
		if err := may(q, a, asker == "agent"); err != nil {
			return task.Question{}, err
		}
		failures := q.AboutFailures(t)
		if err := end(tx, q); err != nil {
			return task.Question{}, err
		}
		if _, err = addedTo(ctx, tx, t, nil, q.ID); err != nil {
			return task.Question{}, err
		}
		if failures && q.Answer != "" && a.Person() {
			err = inboxdb.Acknowledge(tx, t.ID)
		}
		return *q, err
	})
}

// DecideIn records a decision about a task.
type DecideIn struct {
	Task      string `path:"id" json:"-"`
	Title     string `json:"title"`
	Rationale string `json:"rationale,omitzero"`
	Fence     *int64 `json:"fence,omitzero"`
}

// Decide records a decision about a task, with its reason. Anyone may. It extends the holder's lease.
func (s *Service) Decide(ctx context.Context, in DecideIn) (task.Decision, error) {
	if err := fault.At("title", task.CheckText("the title", in.Title, task.MaxTitle)); err != nil {
		return task.Decision{}, err
	}
	if err := fault.At("rationale", task.CheckOptional("the rationale", in.Rationale, task.MaxText)); err != nil {
		return task.Decision{}, err
	}
	return core.Write(ctx, s.Env, func(tx *store.Tx) (task.Decision, error) {
		t, err := s.openForRemarks(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return task.Decision{}, err
		}
		d, err := tx.AddDecision(t, in.Title, task.Opt(in.Rationale))
		if err != nil {
			return d, err
		}
		_, err = addedTo(ctx, tx, t, in.Fence, d.ID)
		return d, err
	})
}
