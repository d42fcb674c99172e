package inbox_test

import (
	"fmt"
	"testing"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// A question that blocks nothing waits for people all the same: for its addressee, for those who hold the role, or else for
// any human. One that is put to an agent is in no inbox, and in that agent's news.
func TestAQuestionThatBlocksNothingReachesItsAddressee(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		k.Policy.Humans = []task.Actor{core.CallerOf(coretest.Ann).Actor, core.CallerOf(coretest.Bob).Actor}
		k.Policy.DeclaresHuman = true
		apply(k, "demo", `{"key": "a", "title": "A"}`)
		ask := func(to string) (id string, n int64) {
			k.Helper()
			q, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-1", Text: "the logo?", To: to})
			k.Must(err)
			return fmt.Sprintf("question:demo-1:%d", q.ID), q.ID
		}
		anyone, _ := ask("")
		lead, n := ask("lead")
		bob, _ := ask("bob")
		typo, _ := ask("anne")
		_, err := k.Work.Note(coretest.Bee, work.NoteIn{Task: "demo-1", Text: "here"})
		k.Must(err)
		ask("bee")
		coretest.EqualSlices(k, "ann's", inboxOf(coretest.Ann, k), anyone, lead, typo)
		coretest.EqualSlices(k, "bob's", inboxOf(coretest.Bob, k), anyone, bob, typo)
		coretest.EqualSlices(k, "an agent's", inboxOf(coretest.Bee, k))
		all, err := k.Inbox.Inbox(coretest.Bee, inbox.InboxIn{Slug: "demo", All: true})
		k.Must(err)
		if all.Total != 4 || all.Items[1].Why != "bot asks: the logo?" || all.Items[1].Kind != waiting.ItemAsked || all.Items[1].For != "lead" {
			k.Errorf("everybody's: %+v", all)
		}
		_, err = k.Work.Answer(coretest.Ann, work.AnswerIn{Question: n, Text: "the old one"})
		k.Must(err)
		_, err = k.Inbox.Ack(coretest.Ann, inbox.AckIn{Slug: "demo", Items: []string{anyone}})
		k.Must(err)
		coretest.EqualSlices(k, "ann answered one and put one away", inboxOf(coretest.Ann, k), typo)
	})
}

// One failure is one item: a worker that fails for the last time and asks about it is found by its question alone, and the
// answer settles both.
func TestAQuestionAboutFailuresStandsForThem(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A"}`)
		ask := func() int64 {
			k.Helper()
			_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-1"})
			k.Must(err)
			q, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-1", Text: "what should change?", Blocking: true})
			k.Must(err)
			_, err = k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-1", Failed: true})
			k.Must(err)
			return q.ID
		}
		fail(k.T, k.Set, "demo-1", 2)
		first := ask()
		coretest.EqualSlices(k, "one cause", inboxOf(coretest.Ann, k), fmt.Sprintf("blocking_question:demo-1:%d", first))
		_, err := k.Work.Withdraw(coretest.Bot, work.QuestionIn{Question: first})
		k.Must(err)
		coretest.EqualSlices(k, "withdrawn", inboxOf(coretest.Ann, k), "failing:demo-1")
		again := ask()
		coretest.EqualSlices(k, "asked again", inboxOf(coretest.Ann, k), fmt.Sprintf("blocking_question:demo-1:%d", again))
		_, err = k.Work.Answer(coretest.Ann, work.AnswerIn{Question: again, Text: "take the mirror"})
		k.Must(err)
		coretest.EqualSlices(k, "answered", inboxOf(coretest.Ann, k))
		fail(k.T, k.Set, "demo-1", 2)
		coretest.EqualSlices(k, "two more", inboxOf(coretest.Ann, k))
	})
}
