package core_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/task"
)

func (k *kit) ask(ctx context.Context, in work.AskIn) task.Question {
	k.Helper()
	q, err := k.s.Work.Ask(ctx, in)
	k.must(err)
	return q
}

func (k *kit) ready() (ids []task.ID) {
	k.Helper()
	out, err := k.s.Reading.Ready(ann, reading.ReadyIn{Slug: "demo"})
	k.must(err)
	for _, t := range out.Tasks {
		ids = append(ids, t.ID)
	}
	is(k, "total ready", out.Total, len(ids))
	return ids
}

func TestABlockingQuestionTakesItsTaskOffTheFrontierUntilItIsAnswered(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		q := k.ask(bot, work.AskIn{Task: "demo-1", Text: "which one?", Blocking: true})
		event, payload := k.last("demo-1")
		is(k, "id", q.ID, event.ID)
		is(k, "payload", payload, `{"blocking":true,"text":"which one?","to":null}`)
		is(k, "version", k.task("demo-1").Version, 1)
		same(k, "ready", k.ready(), "demo-2")
		_, err := k.s.Work.Claim(bee, work.ClaimIn{Task: "demo-1"})
		k.refused(err, fault.Declined, "demo-1 is held back by 1 open blocking question")
		out, err := k.s.Work.Next(bee, work.NextIn{Project: "demo"})
		k.must(err)
		is(k, "chosen", out.Task.ID, "demo-2")
		is(k, "skipped", out.Skipped[0].Task, "demo-1")
		_, err = k.s.Work.Move(ann, work.MoveIn{Task: "demo-1", To: "done"})
		k.refused(err, fault.Declined, "question "+itoa(q.ID)+": which one?")
		_, err = k.s.Work.Move(ann, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.refused(err, fault.Declined, "question")

		_, err = k.s.Work.Answer(bot, work.AnswerIn{Question: q.ID, Text: "mine"})
		k.refused(err, fault.Declined, "who asks a blocking question does not answer it")
		_, err = k.s.Work.Answer(bee, work.AnswerIn{Question: q.ID, Text: "mine"})
		k.refused(err, fault.Declined, "a human answers it, not bee")
		_, err = k.s.Work.Answer(bob, work.AnswerIn{Question: q.ID, Text: ""})
		k.refused(err, fault.Invalid, "the answer is empty")
		got, err := k.s.Work.Answer(bob, work.AnswerIn{Question: q.ID, Text: "the second"})
		k.must(err)
		is(k, "answer", string(got.Answer)+" "+string(got.AnsweredBy), "the second bob")
		same(k, "ready", k.ready(), "demo-1")
		_, err = k.s.Work.Answer(ann, work.AnswerIn{Question: q.ID, Text: "the first"})
		k.refused(err, fault.Declined, "was answered by bob")
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.QuestionAsked, task.QuestionAnswered)
		is(k, "asked", k.show("demo-1").Questions[0].Answer, "the second")
		k.done(ann, "demo-1")
		_, err = k.s.Work.Answer(ann, work.AnswerIn{Question: 99999, Text: "x"})
		k.refused(err, fault.NotFound, "there is no question 99999")
		k.healthy()
	})
}

func TestAskingMayGiveTheTaskBackInTheSameStep(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		c := k.claim(bot, "demo-1")
		_, err := k.s.Work.Ask(bee, work.AskIn{Task: "demo-1", Text: "and?", Release: true})
		k.refused(err, fault.Declined, "asking gives back only what you hold yourself")
		_, err = k.s.Work.Ask(bot, work.AskIn{Task: "demo-1", Text: "and?", Fence: ptr(c.Fence + 1)})
		k.refused(err, fault.Conflict, "has never had a claim")
		same(k, "events of refusals", k.events("demo-1"), task.TaskCreated, task.TaskClaimed)
		q := k.ask(bot, work.AskIn{Task: "demo-1", Text: "and?", Blocking: true, Release: true, Fence: &c.Fence})
		got := k.task("demo-1")
		is(k, "status", got.Status, task.Open)
		is(k, "held", got.Claim == nil, true)
		same(k, "ready", k.ready())
		same(k, "events", k.events("demo-1"), task.TaskCreated, task.TaskClaimed, task.QuestionAsked, task.ClaimReleased)
		_, err = k.s.Work.Withdraw(bee, work.QuestionIn{Question: q.ID})
		k.refused(err, fault.Declined, "bot, who alone may withdraw it")
		_, err = k.s.Work.Withdraw(bot, work.QuestionIn{Question: q.ID})
		k.must(err)
		same(k, "ready", k.ready(), "demo-1")
		is(k, "shown", len(k.show("demo-1").Questions), 0)
		event, payload := k.last("demo-1")
		is(k, "kind", event.Kind, task.QuestionWithdrawn)
		is(k, "payload", payload, `{"blocking":true,"question":`+itoa(q.ID)+`}`)
		k.healthy()
	})
}

func TestAQuestionOfTheHolderExtendsTheLeaseAndHoldsOnlyTheOthersBack(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		c := k.claim(bot, "demo-1")
		k.pass(time.Second)
		q := k.ask(bot, work.AskIn{Task: "demo-1", Text: "and?", Blocking: true, To: "bee"})
		got := k.task("demo-1")
		is(k, "still held", got.Claim.Actor, "bot")
		is(k, "extended", got.Claim.ExpiresAt > c.ExpiresAt, true)
		_, err := k.s.Work.Release(bot, work.ReleaseIn{Task: "demo-1"})
		k.must(err)
		same(k, "ready", k.ready())
		_, err = k.s.Work.Answer(bee, work.AnswerIn{Question: q.ID, Text: "so"})
		k.must(err)
		same(k, "ready", k.ready(), "demo-1")
		free := k.ask(bot, work.AskIn{Task: "demo-1", Text: "by the way?"})
		same(k, "ready beside a question that does not block", k.ready(), "demo-1")
		_, err = k.s.Work.Answer(bot, work.AnswerIn{Question: free.ID, Text: "found it"})
		k.must(err)
		k.healthy()
	})
}

func TestDecisionsAreKeptWithTheirReason(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		d, err := k.s.Work.Decide(bot, work.DecideIn{Task: "a", Title: "Keep it", Rationale: "three clients read it"})
		k.must(err)
		event, payload := k.last("demo-1")
		is(k, "id", d.ID, event.ID)
		is(k, "payload", payload, `{"rationale":"three clients read it","title":"Keep it"}`)
		is(k, "of", d.Project+" "+string(d.Task)+" "+d.Actor, "demo demo-1 bot")
		_, err = k.s.Work.Decide(bot, work.DecideIn{Task: "a"})
		k.refused(err, fault.Invalid, "the title is empty")
		is(k, "shown", k.show("a").Decisions[0].Rationale, "three clients read it")
		is(k, "version", k.task("a").Version, 1)
		k.healthy()
	})
}

func TestAnAskRepeatedUnderItsKeyAsksOnce(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}`)
		ctx := under(bot, "/v1/tasks/demo-1/questions", "k1", "d")
		first := k.ask(ctx, work.AskIn{Task: "demo-1", Text: "and?", Blocking: true})
		again := k.ask(ctx, work.AskIn{Task: "demo-1", Text: "and?", Blocking: true})
		is(k, "question", again.ID, first.ID)
		is(k, "asked", len(k.show("demo-1").Questions), 1)
	})
}

func TestWhatAWaiterWaitsFor(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["a"]}, {"key": "c", "title": "C"}`)
		met := func(id, what string) bool {
			k.Helper()
			out, err := k.s.Work.Met(bot, work.MetIn{Task: id, For: what})
			k.must(err)
			if out.Why == "" {
				k.Errorf("%s for %s: it does not say why", id, what)
			}
			return out.Met
		}
		is(k, "b ready", met("b", "ready"), false)
		is(k, "a done", met("a", "done"), false)
		k.done(ann, "a")
		is(k, "b ready", met("b", "ready"), true)
		is(k, "a done", met("a", "done"), true)
		is(k, "nothing asked", met("b", "answered"), true)
		q := k.ask(bot, work.AskIn{Task: "b", Text: "and?"})
		is(k, "asked", met("b", "answered"), false)
		one, err := k.s.Work.Met(bot, work.MetIn{Task: "b", For: "answered", Question: &q.ID})
		k.must(err)
		is(k, "the question", one.Question.Text, "and?")
		_, err = k.s.Work.Met(bot, work.MetIn{Task: "c", For: "answered", Question: &q.ID})
		k.refused(err, fault.Invalid, "is about demo-2")
		_, err = k.s.Work.Withdraw(bot, work.QuestionIn{Question: q.ID})
		k.must(err)
		_, err = k.s.Work.Met(bot, work.MetIn{Task: "b", For: "answered", Question: &q.ID})
		k.refused(err, fault.Declined, "was withdrawn")
		is(k, "all answered", met("b", "answered"), true)
		k.move(ann, work.MoveIn{Task: "c", To: "cancelled"})
		_, err = k.s.Work.Met(bot, work.MetIn{Task: "c", For: "done"})
		k.refused(err, fault.Declined, "demo-3 was cancelled")
		_, err = k.s.Work.Met(bot, work.MetIn{Task: "c", For: "luck"})
		k.refused(err, fault.Invalid, `nothing waits for "luck"`)
		c := k.claim(bot, "b")
		out, err := k.s.Work.Met(bot, work.MetIn{Task: "b", For: "ready"})
		k.must(err)
		is(k, "until", out.Until, c.ExpiresAt)
	})
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
