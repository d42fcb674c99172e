package inbox_test

import (
	"testing"

	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// A review says what keeps its task from being done.
func TestAReviewTellsWhatIsMissing(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		k.Policy.Gates = map[string][]string{"tested": {"tests"}}
		apply(k, "demo",
			`{"key": "a", "title": "A", "gate": "tested", "criteria": ["one", "two", "three"]}`,
			`{"key": "b", "title": "B"}`)
		why := func(want ...string) {
			k.Helper()
			out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo"})
			k.Must(err)
			var got []string
			for _, it := range out.Items {
				got = append(got, string(it.Task)+": "+it.Why)
			}
			coretest.EqualSlices(k, "why", got, want...)
		}
		for _, id := range []string{"demo-1", "demo-2"} {
			_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: id, To: "in_review"})
			k.Must(err)
		}
		whole := "demo-2: bot handed it over for review, and nothing else is missing"
		why("demo-1: bot handed it over for review unfinished; missing: criterion 1: one; criterion 2: two; criterion 3: three; 1 more", whole)
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Indexes: []int{1, 2, 3}})
		k.Must(err)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 2, Seen: new("looked")})
		k.Must(err)
		why("demo-1: bot handed it over for review unfinished; missing: evidence tests; ticks: 1 seen, 2 without evidence", whole)
		_, err = k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "tests", Value: "ok"}}})
		k.Must(err)
		done := "demo-1: bot handed it over for review, and nothing else is missing; ticks: 1 seen, 2 without evidence"
		why(done, whole)

		apply(k, "demo", `{"key": "c", "title": "C", "status": "in_review"}`) // as an import brings it in
		why(done, whole, "demo-3: ann recorded it as in review, and nothing else is missing")
	})
}
