package inbox_test

import (
	"testing"

	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// The home screen has the head of each list: questions before older items, what the reader holds and what others hold,
// what is next.
func TestHomeIsAProjectOnOneScreen(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo",
			`{"key": "a", "title": "A"}`, `{"key": "b", "title": "B"}`, `{"key": "c", "title": "C"}`, `{"key": "d", "title": "D", "status": "in_review"}`,
			`{"key": "e", "title": "E"}`, `{"key": "f", "title": "F"}`, `{"key": "g", "title": "G", "status": "in_review"}`,
			`{"key": "h", "title": "H", "status": "done"}`)
		for _, err := range []error{
			second(k.Work.Claim(coretest.Ann, work.ClaimIn{Task: "demo-1"})),
			second(k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"})),
			second(k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-2", Text: "which disk?", Blocking: true})),
		} {
			k.Must(err)
		}
		two := 2
		out, err := k.Inbox.Home(coretest.Ann, reading.ProjectIn{Slug: "demo", Limit: &two})
		k.Must(err)
		var items, holding, next, others []string
		for _, it := range out.Inbox.Items {
			items = append(items, string(it.Kind)+" "+string(it.Task))
		}
		for _, h := range out.Holding {
			holding = append(holding, string(h.Task))
		}
		for _, c := range out.Next {
			next = append(next, string(c.ID))
		}
		for _, l := range out.Others {
			others = append(others, string(l.Task)+" "+string(l.Actor))
		}
		coretest.EqualSlices(k, "inbox", items, "blocking_question demo-2", "review demo-4")
		coretest.EqualSlices(k, "holding", holding, "demo-1")
		coretest.EqualSlices(k, "next", next, "demo-3", "demo-5")
		coretest.EqualSlices(k, "others", others, "demo-2 bot")
		if out.Inbox.Total != 3 || out.Situation.ByStatus.Done != 1 || out.Situation.Ready != 3 || out.Kind != "human" {
			k.Errorf("%+v", out)
		}
	})
}

func second[T any](_ T, err error) error { return err }
