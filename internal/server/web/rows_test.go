package web

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"tasker/internal/inbox"
	"tasker/internal/links"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/waiting"
)

var markup = regexp.MustCompile(`<[^>]*>|\s+`)

// row returns the text of a part of the pages.
func row(t *testing.T, name string, data any) string {
	t.Helper()
	s := &site{Options: Options{Now: func() time.Time { return time.UnixMicro(6 * 3600 * 1e6) }}}
	var b bytes.Buffer
	if err := s.parse()["inbox"]().ExecuteTemplate(&b, name, data); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(b.String(), " "))), " ")
}

// TestEveryTemplateCanBeRead: a server reads a template only when its page is first shown.
func TestEveryTemplateCanBeRead(t *testing.T) {
	for name, read := range (&site{}).parse() {
		if read().Lookup("main") == nil {
			t.Errorf("templates/%s.html has no main part", name)
		}
	}
}

// TestARowOfTheInboxHasWhatThereIsToDecideBy: what was handed over, the last try of what keeps failing, and both sides of a
// disagreement, with one row per task.
func TestARowOfTheInboxHasWhatThereIsToDecideBy(t *testing.T) {
	const hour = 3600 * 1_000_000
	about := &inbox.About{
		By: "claude/2", Note: "Look at the rounding.", NoteBy: "claude/2", Criteria: task.Progress{Checked: 2, Total: 3}, Resting: "1 run, 1 seen", Failures: 4,
		Evidence: []task.Evidence{{Kind: "log", Value: "https://ci.example/7"}}, Branch: "task/demo-1",
		Bindings: []task.Binding{{Kind: "pull_request", Ref: "o/n#12", URL: "https://code.example/12", State: "open"}},
	}
	item := func(kind waiting.ItemKind, id int, settle ...string) inbox.Item {
		return inbox.Item{
			ID: fmt.Sprintf("%s:demo-%d", kind, id), Kind: kind, Project: "demo", Task: task.MakeID("demo", int64(id)), Title: "Rounding", For: "human",
			Since: hour, Settle: settle,
		}
	}
	review := item(waiting.ItemReview, 1, "tasker done demo-1", "tasker return demo-1 --because 'TEXT'")
	review.Why, review.About, review.Frees = "claude/2 handed it over for review, and nothing else is missing; ticks: 1 run, 1 seen", about, &waiting.Freed{InAll: 1}
	failing := item(waiting.ItemFailing, 2, "tasker inbox ack failing:demo-2")
	failing.Why, failing.About = "it has failed 4 times", about
	question := item(waiting.ItemQuestion, 3, "tasker answer 7 'TEXT'")
	question.Why, question.Frees = "claude/1 asks: Is `eur` right?", &waiting.Freed{}
	differs := func(field, ours, theirs string, n int) inbox.Item {
		it := item(waiting.ItemDivergence, 4, fmt.Sprintf("tasker resolve %d keep_local", n), fmt.Sprintf("tasker resolve %d take_remote", n))
		it.Dispute = &inbox.Dispute{Field: field, Ours: ours, Theirs: theirs}
		return it
	}
	found := needsOf(fromInbox([]inbox.Item{differs("status", "in progress", "done", 8), review, failing, differs("title", "A", "B", 9), question}))
	got := map[string]string{}
	for _, s := range found {
		for _, n := range s.Needs {
			got[s.Name] += row(t, "need", n)
		}
	}
	for name, want := range map[string]string{
		"Reviews": "review demo-1 Rounding claude/2 handed it over for review, and nothing else is missing claude/2 Look at the rounding. " +
			"2 of 3 criteria: 1 run, 1 seen typed log: https://ci.example/7 branch task/demo-1 o/n#12 , open 5 h ago holds up 1 other " +
			"tasker done demo-1 copy tasker return demo-1 --because 'TEXT' copy",
		"In trouble": "failing demo-2 Rounding Last try: claude/2, 5 h ago ; 2 of 3 criteria; 4 failed attempts claude/2 Look at the rounding. 5 h ago " +
			"tasker inbox ack failing:demo-2 copy",
		"Other systems": "disagreement demo-4 Rounding status ours in progress theirs done tasker resolve 8 keep_local copy tasker resolve 8 take_remote copy " +
			"title ours A theirs B tasker resolve 9 keep_local copy tasker resolve 9 take_remote copy 5 h ago",
		"Questions": "Is eur right? demo-3 Rounding 5 h ago tasker answer 7 'TEXT' copy",
	} {
		if got[name] != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got[name], want)
		}
	}
	if n := found[len(found)-1].Total(); n != 2 {
		t.Errorf("two disagreements in a row count as %d", n)
	}
}

func TestConflictsAreATableByTask(t *testing.T) {
	conflict := func(id int64, of task.ID, field string) links.Conflict {
		return links.Conflict{ID: id, Task: of, Title: "T " + string(of), Field: field, Resolutions: merge.Resolutions(merge.Local)}
	}
	got := byTask([]links.Conflict{conflict(1, "demo-1", "status"), conflict(2, "demo-2", "title"), conflict(3, "demo-1", "due")})
	if len(got) != 2 || got[0].Title != "T demo-1" || len(got[0].Fields) != 2 || got[0].Fields[1].ID != 3 {
		t.Fatalf("they are grouped as %+v", got)
	}
	one := got[0].Fields[0]
	if len(one.First) != 2 || one.First[0].Command != "tasker resolve 1 keep_local" || one.First[1].Command != "tasker resolve 1 take_remote" || len(one.Rest) != 3 ||
		one.Rest[0].Command != "tasker resolve 1 set_value --value VALUE" {
		t.Errorf("it is settled by %+v, or %+v", one.First, one.Rest)
	}
}

func TestBackticksOfATitleAreCode(t *testing.T) {
	for text, want := range map[string]int{"Run `make test` twice": 3, "a ` alone": 1, "`x`": 1, "[a](http://x) **b**": 1} {
		if got := inline(text); len(got) != want || strings.Contains(text, "`x`") && !got[0].Code {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
