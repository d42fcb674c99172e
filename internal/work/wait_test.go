package work_test

import (
	"strconv"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestAWaitEndsWhenItsConditionIsMet(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C"}`)
		met := func(id, what string) bool {
			k.Helper()
			out, err := k.Work.Met(coretest.Bot, work.MetIn{Task: id, For: what})
			k.Must(err)
			if out.Why == "" {
				k.Errorf("%s for %s: the answer does not say why", id, what)
			}
			return out.Met
		}
		coretest.Equal(k, "b ready", met("b", "ready"), false)
		coretest.Equal(k, "a done", met("a", "done"), false)
		k.Done(coretest.Ann, "a")
		coretest.Equal(k, "b ready", met("b", "ready"), true)
		coretest.Equal(k, "a done", met("a", "done"), true)
		coretest.Equal(k, "nothing asked", met("b", "answered"), true)
		q := ask(coretest.Bot, k, work.AskIn{Task: "b", Text: "and?"})
		coretest.Equal(k, "asked", met("b", "answered"), false)
		one, err := k.Work.Met(coretest.Bot, work.MetIn{Task: "b", For: "answered", Question: &q.ID})
		k.Must(err)
		coretest.Equal(k, "the question", one.Question.Text, "and?")
		_, err = k.Work.Met(coretest.Bot, work.MetIn{Task: "c", For: "answered", Question: &q.ID})
		k.Refused(err, fault.Invalid, "is about demo-2")
		_, err = k.Work.Withdraw(coretest.Bot, work.QuestionIn{Question: q.ID})
		k.Must(err)
		_, err = k.Work.Met(coretest.Bot, work.MetIn{Task: "b", For: "answered", Question: &q.ID})
		k.Refused(err, fault.Declined, "was withdrawn")
		coretest.Equal(k, "all answered", met("b", "answered"), true)
		k.Move(coretest.Ann, work.MoveIn{Task: "c", To: "cancelled"})
		_, err = k.Work.Met(coretest.Bot, work.MetIn{Task: "c", For: "done"})
		k.Refused(err, fault.Declined, "demo-3 was cancelled")
		_, err = k.Work.Met(coretest.Bot, work.MetIn{Task: "c", For: "luck"})
		k.Refused(err, fault.Invalid, `nothing waits for "luck"`)
		c := k.Claim(coretest.Bot, "b")
		out, err := k.Work.Met(coretest.Bot, work.MetIn{Task: "b", For: "ready"})
		k.Must(err)
		coretest.Equal(k, "until", out.Until, c.ExpiresAt)
	})
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
