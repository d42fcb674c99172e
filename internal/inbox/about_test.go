package inbox_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/testkit/coretest"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
	"tasker/internal/workspace"
)

// An approval and a review say what was handed over, and a task that keeps failing says how its last try ended.
func TestItemsSayWhatThereIsToDecideBy(t *testing.T) {
	eachHouse(t, func(k *coretest.Kit) {
		k.ConfigFile = `{"version": 1, "project": "demo", "integrations": {"issue_tracker": {"baseUrl": "https://site.example.org"}, "code_host": {"repos": ["o/n"]}}}`
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
				_, err := k.Work.Evidence(coretest.Bot, work.EvidenceIn{Task: id, Items: []task.EvidenceItem{{Kind: "log", Value: fmt.Sprint("value ", i) + strings.Repeat(" and so on", 40*(i/3))}}})
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
			_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-3", Failed: true, Note: new("the mirror\nanswers 500")})
			k.Must(err)
		}
		_, err = k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-2", Ref: "o/n#12"})
		k.Must(err)
		_, err = k.Links.Bind(coretest.Ann, links.BindIn{Task: "demo-2", Ref: "DEMO-7"}) // an issue shows nothing of the work
		k.Must(err)
		for _, w := range []workspace.Workspace{{Host: "there", Branch: "an older one"}, {Host: "here", Branch: "task/demo-1"}} {
			w.Task, w.Root, w.Path, w.Strategy = "demo-1", "/repo", "/repo/.worktrees/demo-1", workspace.Worktree
			_, err := k.Workspaces.Begin(coretest.Ann, workspace.BeginIn{Workspace: w})
			k.Must(err)
			k.Pass(time.Millisecond) // the newer one counts
		}
		shown := "log: value 1; log: value 2; log: " + words.Cut("value 3"+strings.Repeat(" and so on", 40), 300)
		want := map[string]string{
			"review:demo-1":                       "1 of 2 criteria (1 seen); " + shown + "; branch task/demo-1: bot by bot, 0 failures, round ro…303",
			"approval_requested:demo-2:role:lead": shown + "; o/n#12: bot by bot, 0 failures, round ro…303",
			"failing:demo-3":                      "0 of 1 criterion: bot by bot, 3 failures, the mirr…22",
		}
		for reader, items := range everywhere(k) {
			left := maps.Clone(want)
			for _, it := range items {
				if it.About == nil {
					k.Fatalf("%s: %s has nothing to decide by", reader, it.ID)
				}
				a := it.About
				got := fmt.Sprintf("%s: %s by %s, %d failures, %.8s…%d", a.Work(), a.By, a.NoteBy, a.Failures, a.Note, len(a.Note))
				if want := left[it.ID]; want != "" && got != want {
					k.Errorf("%s: %s\n got %s\nwant %s", reader, it.ID, got, want)
				}
				if said := it.Why; strings.HasPrefix(it.ID, "failing:") && !strings.Contains(said, `the last note: bot: "the mirror answers 500"`) {
					k.Errorf("%s: %s is in the inbox because %s", reader, it.ID, said)
				}
				delete(left, it.ID)
			}
			if len(left) > 0 {
				k.Errorf("%s does not have %v", reader, left)
			}
		}
	})
}

// everywhere returns ann's items from each read that has them, and what notifications send.
func everywhere(k *coretest.Kit) map[string][]inbox.Item {
	k.Helper()
	out := map[string][]inbox.Item{}
	for name, sorted := range map[string]string{"inbox": "", "by impact": waiting.SortImpact} {
		got, err := k.Inbox.Inbox(coretest.Ann, inbox.InboxIn{Slug: "demo", Sort: sorted})
		k.Must(err)
		out[name] = got.Items
	}
	estate, err := k.Inbox.Estate(coretest.Ann, inbox.EstateIn{})
	k.Must(err)
	for _, it := range estate.Items {
		if it.Kind != inbox.KindReady {
			out["estate"] = append(out["estate"], it.Waits())
		}
	}
	home, err := k.Inbox.Home(coretest.Ann, reading.ProjectIn{Slug: "demo"})
	k.Must(err)
	out["home"] = home.Inbox.Items
	k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error {
		p, err := tx.Project("demo")
		k.Must(err)
		out["notifications"], _, err = k.Inbox.Caused(tx, p, 0, tx.LastEvent())
		return err
	}))
	return out
}
