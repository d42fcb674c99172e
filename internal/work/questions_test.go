package work_test

import (
	"context"
	"testing"
	"time"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func ask(ctx context.Context, k *coretest.Kit, in work.AskIn) task.Question {
	k.Helper()
	q, err := k.Work.Ask(ctx, in)
	k.Must(err)
	return q.Question
}

func ready(k *coretest.Kit) (ids []task.ID) {
	k.Helper()
	out, err := k.Reading.Ready(coretest.Ann, reading.ReadyIn{Slug: "demo"})
	k.Must(err)
	for _, t := range out.Tasks {
		ids = append(ids, t.ID)
	}
	coretest.Equal(k, "total ready", out.Total, len(ids))
	return ids
}

func TestABlockingQuestionTakesItsTaskOffTheFrontierUntilItIsAnswered(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		q := ask(coretest.Bot, k, work.AskIn{Task: "demo-1", Text: "which one?", Blocking: true})
		event, payload := k.Last("demo-1")
		coretest.Equal(k, "id", q.ID, event.ID)
		coretest.Equal(k, "payload", payload, `{"blocking":true,"text":"which one?","to":null}`)
		coretest.Equal(k, "version", k.Task("demo-1").Version, 1)
		coretest.EqualSlices(k, "ready", ready(k), "demo-2")
		_, err := k.Work.Claim(coretest.Bee, work.ClaimIn{Task: "demo-1"})
		k.Refused(err, fault.Declined, "demo-1 is held back by 1 open blocking question")
		out, err := k.Work.Next(coretest.Bee, work.NextIn{Project: "demo"})
		k.Must(err)
		coretest.Equal(k, "chosen", out.Task.ID, "demo-2")
		coretest.Equal(k, "skipped", out.Skipped[0].Task, "demo-1")
		_, err = k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done"})
		k.Refused(err, fault.Declined, "question "+itoa(q.ID)+": which one?")
		_, err = k.Work.Move(coretest.Ann, work.MoveIn{Task: "demo-1", To: "done", Force: true})
		k.Refused(err, fault.Declined, "question")

		_, err = k.Work.Answer(coretest.Bot, work.AnswerIn{Question: q.ID, Text: "mine"})
		k.Refused(err, fault.Declined, "nobody may answer their own blocking question")
		_, err = k.Work.Answer(coretest.Bee, work.AnswerIn{Question: q.ID, Text: "mine"})
		k.Refused(err, fault.Declined, "a human answers it, not bee")
		_, err = k.Work.Answer(coretest.Bob, work.AnswerIn{Question: q.ID, Text: ""})
		k.Refused(err, fault.Invalid, "the answer is empty")
		got, err := k.Work.Answer(coretest.Bob, work.AnswerIn{Question: q.ID, Text: "the second"})
		k.Must(err)
		coretest.Equal(k, "answer", string(got.Answer)+" "+string(got.AnsweredBy), "the second bob")
		coretest.EqualSlices(k, "ready", ready(k), "demo-1")
		_, err = k.Work.Answer(coretest.Ann, work.AnswerIn{Question: q.ID, Text: "the first"})
		k.Refused(err, fault.Declined, "was answered by bob")
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.QuestionAsked, task.QuestionAnswered)
		coretest.Equal(k, "asked", k.Show("demo-1").Questions[0].Answer, "the second")
		k.Done(coretest.Ann, "demo-1")
		_, err = k.Work.Answer(coretest.Ann, work.AnswerIn{Question: 99999, Text: "x"})
		k.Refused(err, fault.NotFound, "there is no question 99999")
		k.Healthy()
	})
}

func TestAskingMayGiveTheTaskBackInTheSameStep(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		c := k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Ask(coretest.Bee, work.AskIn{Task: "demo-1", Text: "and?", Release: true})
		k.Refused(err, fault.Declined, "asking gives back only what you hold yourself")
		_, err = k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-1", Text: "and?", Fence: new(c.Fence + 1)})
		k.Refused(err, fault.Conflict, "has never had a claim")
		coretest.EqualSlices(k, "events of refusals", k.Events("demo-1"), task.TaskCreated, task.TaskClaimed)
		kept, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-1", Text: "or?"})
		k.Must(err)
		coretest.Equal(k, "released without a request", kept.Released, false)
		_, err = k.Work.Withdraw(coretest.Bot, work.QuestionIn{Question: kept.ID})
		k.Must(err)
		k.Policy.Humans = []task.Actor{{Name: "ann", Human: true}}
		q, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-1", Text: "and?", Blocking: true, Release: true, Fence: &c.Fence})
		k.Must(err)
		coretest.Equal(k, "released", q.Released, true)
		coretest.Equal(k, "who can answer", q.For, "ann")
		got := k.Task("demo-1")
		coretest.Equal(k, "status", got.Status, task.Open)
		coretest.Equal(k, "held", got.Claim == nil, true)
		coretest.EqualSlices(k, "ready", ready(k))
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.TaskClaimed,
			task.QuestionAsked, task.QuestionWithdrawn, task.QuestionAsked, task.ClaimReleased)
		_, err = k.Work.Withdraw(coretest.Bee, work.QuestionIn{Question: q.ID})
		k.Refused(err, fault.Declined, "bot, who alone may withdraw it")
		_, err = k.Work.Withdraw(coretest.Bot, work.QuestionIn{Question: q.ID})
		k.Must(err)
		coretest.EqualSlices(k, "ready", ready(k), "demo-1")
		coretest.Equal(k, "shown", len(k.Show("demo-1").Questions), 0)
		event, payload := k.Last("demo-1")
		coretest.Equal(k, "kind", event.Kind, task.QuestionWithdrawn)
		coretest.Equal(k, "payload", payload, `{"blocking":true,"question":`+itoa(q.ID)+`}`)
		k.Healthy()
	})
}

func TestAQuestionOfTheHolderExtendsTheLeaseAndHoldsOnlyTheOthersBack(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		c := k.Claim(coretest.Bot, "demo-1")
		k.Pass(time.Second)
		q := ask(coretest.Bot, k, work.AskIn{Task: "demo-1", Text: "and?", Blocking: true, To: "bee"})
		got := k.Task("demo-1")
		coretest.Equal(k, "still held", got.Claim.Actor, "bot")
		coretest.Equal(k, "extended", got.Claim.ExpiresAt > c.ExpiresAt, true)
		_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1"})
		k.Must(err)
		coretest.EqualSlices(k, "ready", ready(k))
		_, err = k.Work.Answer(coretest.Bee, work.AnswerIn{Question: q.ID, Text: "so"})
		k.Must(err)
		coretest.EqualSlices(k, "ready", ready(k), "demo-1")
		free := ask(coretest.Bot, k, work.AskIn{Task: "demo-1", Text: "by the way?"})
		coretest.EqualSlices(k, "ready despite a question that does not block", ready(k), "demo-1")
		_, err = k.Work.Answer(coretest.Bot, work.AnswerIn{Question: free.ID, Text: "found it"})
		k.Must(err)
		k.Healthy()
	})
}

func TestAnAskRepeatedUnderItsKeyAsksOnce(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}`)
		ctx := coretest.WithKey(coretest.Bot, "/v1/tasks/demo-1/questions", "k1", "d")
		first := ask(ctx, k, work.AskIn{Task: "demo-1", Text: "and?", Blocking: true})
		again := ask(ctx, k, work.AskIn{Task: "demo-1", Text: "and?", Blocking: true})
		coretest.Equal(k, "question", again.ID, first.ID)
		coretest.Equal(k, "asked", len(k.Show("demo-1").Questions), 1)
	})
}

// TestAskingAndGoingOn asks, gives the task back and claims the next one in one turn.
func TestAskingAndGoingOn(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		_, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-1", Text: "which one?", Next: true})
		k.Refused(err, fault.Invalid, "this one is not given back")
		coretest.EqualSlices(k, "events of a refused one", k.Events("demo-1"), task.TaskCreated)

		k.Claim(coretest.Bot, "demo-1")
		keyed := coretest.WithKey(coretest.Bot, "/v1/tasks/demo-1/questions", "once", "x")
		for range 2 { // the second is answered from what the first kept
			out, err := k.Work.Ask(keyed, work.AskIn{Task: "demo-1", Text: "which one?", Release: true, Next: true})
			k.Must(err)
			coretest.Equal(k, "released", out.Released, true)
			coretest.Equal(k, "next, though the task itself is ready", out.Next.Task.ID, "demo-2")
			coretest.Equal(k, "holder", out.Next.Claimed.Actor, "bot")
			coretest.Equal(k, "how it ends", out.Next.Bundle.Closable.How.String(), "tasker done demo-2 --next")
		}
		coretest.EqualSlices(k, "events", k.Events("demo-1"), task.TaskCreated, task.TaskClaimed, task.QuestionAsked, task.ClaimReleased)

		out, err := k.Work.Ask(coretest.Bee, work.AskIn{Task: "demo-1", Text: "and which two?", Release: true, Next: true})
		k.Must(err)
		coretest.Equal(k, "next, where there is no other", out.Next.Task.ID, "demo-1")
		out, err = k.Work.Ask(coretest.Bee, work.AskIn{Task: "demo-1", Text: "which three?", Blocking: true, Release: true, Next: true})
		k.Must(err)
		if out.Next.Task != nil || out.Next.Idle == nil {
			k.Errorf("next, where there is nothing: %+v", out.Next)
		}
		k.Healthy()
	})
}
