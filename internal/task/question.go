package task

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// Open reports whether the question still waits for its answer.
func (q *Question) Open() bool { return q.AnsweredAt == 0 && !q.Withdrawn }

// For reports whether the question is addressed to the actor: by name, with or without the instance, or by a role.
func (q *Question) For(a Actor) bool {
	to := string(q.To)
	return to != "" && (to == a.Name || to == a.Full() || slices.Contains(a.Roles, to))
}

// asked reports whether the actor asked the question. All instances of a name count as one, so that a worker cannot
// answer itself under another instance.
func (q *Question) asked(a Actor) bool { return actorName(q.Actor) == a.Name }

// Brief returns the question where it is not the subject: its first words on one line.
func (q *Question) Brief() string {
	const most = 60 // characters: enough to recognise it
	text := strings.Join(strings.Fields(q.Text), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return words.Cut(text, most-1) // with the character that says that more follows
}

// Answerers are the ones who are asked a question.
type Answerers string

// Who can be asked.
const (
	AskedPeople Answerers = "people" // any human
	AskedHuman  Answerers = "human"  // the humans with its addressee's name or role
	AskedAgent  Answerers = "agent"  // agents with that name or role
)

// Asks says who is asked a question that blocks nothing: its addressee among the declared actors, a human before an agent.
// A name that nobody declares is an agent's if an actor of that name has written in the project; otherwise any human is
// asked, so that no question is lost.
func (q *Question) Asks(declared []Actor, wrote bool) Answerers {
	if q.To == "" {
		return AskedPeople
	}
	agent := wrote
	for _, a := range declared {
		switch {
		case q.For(a) && a.Human:
			return AskedHuman
		case q.For(a):
			agent = true
		}
	}
	if agent {
		return AskedAgent
	}
	return AskedPeople
}

// AboutFailures reports whether a question that blocks its task asks about the failures of that task: it is by the worker
// who failed last, or was asked after the last failure. People then find one of the two in the inbox, and answer both.
func (q *Question) AboutFailures(t *Task) bool {
	return q.Blocking && t.Failing != 0 && (q.Actor == t.LastHolder || t.Failing != ThisEvent && q.ID > t.Failing)
}

// answering says how the question gets its answer: from the actor, if it is addressed to it, else from a human. it is
// what the question is called.
func (q *Question) answering(a Actor, it string) fault.Text {
	if q.For(a) && !q.asked(a) {
		return fault.Parts("answer %s (%s)", it, hint.Answer(q.ID))
	}
	who := fault.Humans
	if q.To != "" && actorName(string(q.To)) != actorName(q.Actor) { // nobody answers what they asked themselves
		who = string(q.To)
	}
	return fault.Parts("%s", fault.ByHuman(q.Task.project(), "have "+who+" answer "+it, "have %s answered (%s)", it, hint.Answer(q.ID)))
}

// AnswerBy refuses an answer that the actor may not give: to a question that is no longer open; to an agent's question
// (byAgent) from an unnamed human in an agent's shell; and to a blocking question from its own asker, or from an agent
// that it is not addressed to.
func (q *Question) AnswerBy(a Actor, byAgent bool) error {
	switch {
	case q.Withdrawn:
		return fault.Decline("question %d was withdrawn by %s", q.ID, q.Actor).WithHint("ask again: %s", hint.Ask(q.Task))
	case q.AnsweredAt != 0:
		return fault.Decline("question %d was answered by %s at %s", q.ID, q.AnsweredBy, q.AnsweredAt).
			WithHint("add what is missing as a note (%s), or ask again", hint.Note(q.Task))
	case byAgent && a.Human && !a.Person():
		return fault.Decline("question %d was asked by %s, an agent, and %s", q.ID, q.Actor, a.noPerson()).
			WithHint("%s", fault.ByHuman(q.Task.project(), fault.Have("answer it"), "have a human answer it"))
	case !q.Blocking:
		return nil
	case q.asked(a):
		return fault.Decline("%s asked question %d, and nobody may answer their own blocking question", a.inSentence(), q.ID).
			WithHint("withdraw it if it is settled: %s", hint.Withdraw(q.ID))
	case a.Human || q.For(a):
		return nil
	case q.To != "":
		return fault.Decline("question %d holds %s back: %s or a human answers it, not %s", q.ID, q.Task, q.To, a.inSentence()).
			WithHint("leave what you know as a note: %s", hint.Note(q.Task))
	default:
		return fault.Decline("question %d holds %s back: a human answers it, not %s", q.ID, q.Task, a.inSentence()).
			WithHint("leave what you know as a note: %s", hint.Note(q.Task))
	}
}

// WithdrawBy refuses to withdraw a question that is no longer open, or that somebody else asked.
func (q *Question) WithdrawBy(a Actor) error {
	switch {
	case q.Withdrawn:
		return fault.Decline("question %d is withdrawn already", q.ID).WithHint("there is nothing left to do")
	case q.AnsweredAt != 0:
		return fault.Decline("question %d was answered by %s at %s", q.ID, q.AnsweredBy, q.AnsweredAt).
			WithHint("read the answer: %s", hint.Show(q.Task))
	case !q.asked(a):
		refusal := fault.Decline("question %d was asked by %s, who alone may withdraw it", q.ID, q.Actor)
		if q.For(a) {
			return refusal.WithHint("answer it instead: %s", hint.Answer(q.ID))
		}
		return refusal.WithHint("%s", fault.ByHuman(q.Task.project(), "leave it to "+fault.Humans, "answer it instead: %s", hint.Answer(q.ID)))
	}
	return nil
}
