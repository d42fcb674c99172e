package inbox_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/inbox"
	"tasker/internal/inbox/waiting"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// An approval and a review say what was handed over, and a task that keeps failing what its last try came to.
func TestItemsSayWhatThereIsToDecideBy(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		apply(k, "demo", `{"key": "a", "title": "A", "criteria": ["one", "two"]}`, `{"key": "b", "title": "B", "gate": "ship"}`,
			`{"key": "c", "title": "C", "criteria": ["one"]}`)
		note := func(id, text string) {
			k.Helper()
			_, err := k.Work.Note(coretest.Bot, work.NoteIn{Task: id, Text: text})
			k.Must(err)
		}
		claim := func(id string) {
			k.Helper()
			_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: id})
			k.Must(err)
		}
		for _, id := range []string{"demo-1", "demo-2"} {
			claim(id)
			note(id, "first")
			note(id, strings.Repeat("round ", 100))
			for i := range 4 {
				_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: id, Items: []task.EvidenceItem{{Kind: "log", Value: fmt.Sprint("value ", i)}}})
				k.Must(err)
			}
		}
		_, err := k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1, Seen: new("looked")})
		k.Must(err)
		for _, id := range []string{"demo-1", "demo-2"} {
			_, err := k.Work.Move(coretest.Bot, work.MoveIn{Task: id, To: "in_review"})
			k.Must(err)
			_, err = k.Work.Note(coretest.Ann, work.NoteIn{Task: id, Text: "a reviewer's own"})
			k.Must(err)
		}
		for range 3 {
			claim("demo-3")
			_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-3", Failed: true, Note: new("the mirror answers 500")})
			k.Must(err)
		}
		for _, sorted := range []string{"", waiting.SortImpact} {
			out, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", Sort: sorted})
			k.Must(err)
			got := map[string]string{}
			for _, it := range out.Items {
				if it.About == nil {
					k.Fatalf("%s has nothing to decide by", it.ID)
				}
				got[it.ID] = fmt.Sprintf("%s: %s by %s, %d failures, %.8s…%d", it.About.Work(), it.About.By, it.About.NoteBy, it.About.Failures, it.About.Note, len(it.About.Note))
			}
			const shown = "log: value 1; log: value 2; log: value 3: bot by bot, 0 failures, round ro…303"
			for id, want := range map[string]string{
				"review:demo-1": "1 of 2 criteria (1 seen); " + shown, "approval_requested:demo-2:role:lead": shown,
				"failing:demo-3": "0 of 1 criterion: bot by bot, 3 failures, the mirr…22",
			} {
				if got[id] != want {
					k.Errorf("%s by %q: %s, want %s", id, sorted, got[id], want)
				}
			}
		}
	})
}
