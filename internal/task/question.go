package task

import (
	"slices"

	"tasker/internal/fault"
)

// Open reports whether the question still waits for its answer.
func (q *Question) Open() bool { return q.AnsweredAt == 0 && !q.Withdrawn }

// For reports whether the question is put to an actor: by name, with or without the instance, or by a role it holds.
func (q *Question) For(a Actor) bool {
	to := string(q.To)
	return to != "" && (to == a.Name || to == a.Full() || slices.Contains(a.Roles, to))
}

// asked reports whether a asked the question. All instances of a name are one asker: otherwise a worker could answer
// itself under another number.
func (q *Question) asked(a Actor) bool { return actorName(q.Actor) == a.Name }

// AnswerBy refuses an answer that a may not give: to a question that is no longer open, and, where it holds its task
// back, from anyone but the addressee or a human, and always from who asked.
func (q *Question) AnswerBy(a Actor) error {
	switch {
	case q.Withdrawn:
		return fault.Decline("question %d was withdrawn by %s", q.ID, q.Actor).WithHint("ask anew: tasker ask %s TEXT", q.Task)
	case q.AnsweredAt != 0:
		return fault.Decline("question %d was answered by %s at %s", q.ID, q.AnsweredBy, q.AnsweredAt).
			WithHint("add what is missing as a note (tasker note %s TEXT), or ask anew", q.Task)
	case !q.Blocking:
		return nil
	case q.asked(a):
		return fault.Decline("%s asked question %d, and who asks a blocking question does not answer it", a.inSentence(), q.ID).
			WithHint("withdraw it if it is settled: tasker answer %d --withdraw", q.ID)
	case a.Human || q.For(a):
		return nil
	case q.To != "":
		return fault.Decline("question %d holds %s back: %s or a human answers it, not %s", q.ID, q.Task, q.To, a.inSentence()).
			WithHint("leave what you know as a note: tasker note %s TEXT", q.Task)
	default:
		return fault.Decline("question %d holds %s back: a human answers it, not %s", q.ID, q.Task, a.inSentence()).
			WithHint("leave what you know as a note: tasker note %s TEXT", q.Task)
	}
}

// WithdrawBy refuses to take a question back for anyone but who asked it, and where it is no longer open.
func (q *Question) WithdrawBy(a Actor) error {
	switch {
	case q.Withdrawn:
		return fault.Decline("question %d is withdrawn already", q.ID).WithHint("there is nothing left to do")
	case q.AnsweredAt != 0:
		return fault.Decline("question %d was answered by %s at %s", q.ID, q.AnsweredBy, q.AnsweredAt).
			WithHint("read the answer: tasker show %s", q.Task)
	case !q.asked(a):
		return fault.Decline("question %d was asked by %s, who alone may withdraw it", q.ID, q.Actor).
			WithHint("answer it instead: tasker answer %d TEXT", q.ID)
	}
	return nil
}
