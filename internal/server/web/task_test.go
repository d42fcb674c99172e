package web_test

import (
	"context"
	"html"
	"regexp"
	"strings"
	"testing"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/work"
)

var (
	tags   = regexp.MustCompile(`<[^>]*>`)
	blanks = regexp.MustCompile(`\s+`)
	levels = regexp.MustCompile(`<h([1-6])[ >]|aria-level="([1-6])"`)
)

// said returns the text of a page, or of the part of it that begins with a mark.
func said(body, from string) string {
	if at := strings.Index(body, from); at >= 0 {
		body = body[at:]
	}
	return strings.TrimSpace(blanks.ReplaceAllString(html.UnescapeString(tags.ReplaceAllString(body, " ")), " "))
}

// worked serves a plan, and carries out a few operations as bot.
func worked(t *testing.T, plan string, do func(ctx context.Context, ops op.Caller)) func(path string) string {
	t.Helper()
	var ops op.Caller
	h := siteOver(t, plan, func(o op.Caller) op.Caller { ops = o; return o })
	do(core.WithCaller(t.Context(), core.Caller{Actor: task.Actor{Name: "bot"}}), ops)
	return func(path string) string { return get(t, h, path).Body.String() }
}

// did carries out an operation that must succeed.
func did[I, O any](ctx context.Context, t *testing.T, ops op.Caller, of op.Of[I, O], in I) {
	t.Helper()
	if _, err := of.Do(ctx, ops, in); err != nil {
		t.Fatal(err)
	}
}

const lane = `{"project": "demo", "tasks": [{"key": "a", "title": "First", "criteria": ["it runs", "it looks right", "it is told"]},
	{"key": "b", "title": "Second", "deps": ["a"]}, {"key": "c", "title": "Third", "deps": ["b"]},
	{"key": "e", "title": "Epic", "body": "#### Deep\n# Top\n### Deeper"}, {"key": "p", "title": "Part", "parent": "e"}]}`

func TestAWaitingTaskNamesTheCauseAndNotOnlyItsDependency(t *testing.T) {
	page := worked(t, lane, func(ctx context.Context, ops op.Caller) {
		did(ctx, t, ops, op.Claim, work.ClaimIn{Task: "demo-1"})
	})
	if got := said(page("/t/demo-3"), `id="now"`); !strings.Contains(got, "Waits for demo-1 First (bot), through demo-2 .") {
		t.Errorf("the page leads with %.200q", got)
	}
}

// TestAQuestionIsAskedOnce: the banner asks it; rules, commands and the log only say that one is open.
func TestAQuestionIsAskedOnce(t *testing.T) {
	const text = "Euro or pound?"
	page := worked(t, lane, func(ctx context.Context, ops op.Caller) {
		did(ctx, t, ops, op.Claim, work.ClaimIn{Task: "demo-1"})
		did(ctx, t, ops, op.Ask, work.AskIn{Task: "demo-1", Text: text, Blocking: true})
	})
	if n := strings.Count(said(page("/t/demo-1"), "<main"), text); n != 1 {
		t.Errorf("the question is on the page %d times", n)
	}
	if got := said(page("/t/demo-2"), `id="now"`); !strings.Contains(got, "demo-1 First (bot, needs an answer)") {
		t.Errorf("what waits for it leads with %.200q", got)
	}
}

func TestAnEpicShowsItsPartsFirstAndOffersNoDone(t *testing.T) {
	page := worked(t, lane, func(context.Context, op.Caller) {})
	body := page("/t/demo-4")
	if parts, what := strings.Index(body, `id="parts"`), strings.Index(body, "What it is"); parts < 0 || parts > what {
		t.Error("the parts do not come first")
	}
	open, _, _ := strings.Cut(said(body, "<main"), "Every rule")
	if strings.Count(open, "demo-5") != 2 || !strings.Contains(open, "In the way ✕ It is not ready") {
		t.Errorf("besides the list, an epic does not say once what it waits for: %s", open)
	}
	if strings.Contains(body, `data-copy="tasker done demo-4"`) {
		t.Error("the page offers to close an epic with open parts")
	}
	if got := said(body, `class="cmds"`); !strings.Contains(got, "not now: 1 of its parts is open") {
		t.Errorf("the commands are %.300q", got)
	}
	last := 1
	for _, m := range levels.FindAllStringSubmatch(body[strings.Index(body, "<h1"):], -1) {
		level := int((m[1] + m[2])[0] - '0')
		if level > last+1 {
			t.Errorf("a heading of level %d follows one of level %d", level, last)
		}
		last = level
	}
}

// TestAReviewerReadsWhatWasHandedOver has a task go into review and on to done: with what was run, seen and only ticked.
func TestAReviewerReadsWhatWasHandedOver(t *testing.T) {
	run, err := proven.Run{
		Line: "make test", Dir: ".", DurationMs: 1200, Commit: task.Opt(strings.Repeat("ab", 20)), Output: strings.Repeat("0", 64),
	}.Value()
	if err != nil {
		t.Fatal(err)
	}
	var move func(in work.MoveIn)
	page := worked(t, lane, func(ctx context.Context, ops op.Caller) {
		did(ctx, t, ops, op.Claim, work.ClaimIn{Task: "demo-1"})
		did(ctx, t, ops, op.Note, work.NoteIn{Task: "demo-1", Text: "Look at the rounding."})
		did(ctx, t, ops, op.Evidence, work.EvidenceIn{Task: "demo-1", Items: []task.EvidenceItem{{Kind: "tests", Value: run}}, Check: []int{1}})
		did(ctx, t, ops, op.Tick, work.TickIn{Task: "demo-1", Index: 2, Seen: new("the page in both themes")})
		did(ctx, t, ops, op.Tick, work.TickIn{Task: "demo-1", Index: 3})
		move = func(in work.MoveIn) { did(ctx, t, ops, op.Move, in) }
	})
	move(work.MoveIn{Task: "demo-1", To: "in_review", Paths: []string{"round.go"}})
	body := page("/t/demo-1")
	for from, wants := range map[string][]string{
		`id="now"`:      {"In review. Nothing is missing.", "tasker done demo-1", "tasker return demo-1 --because 'TEXT'"},
		`id="review"`:   {"by bot", "Look at the rounding.", "run make test 1.2s, on commit abababababab", "1 file round.go"},
		`id="criteria"`: {"3 of 3 ticked: 1 run, 1 seen, 1 without evidence", "seen the page in both themes", "no evidence linked"},
	} {
		for _, want := range wants {
			if got := said(body, from); !strings.Contains(got, want) {
				t.Errorf("%s does not have %q: %.400s", from, want, got)
			}
		}
	}
	if n := strings.Count(body[:strings.Index(body, "<aside")], "Look at the rounding."); n != 1 {
		t.Errorf("the hand-over note is on the page %d times", n)
	}
	move(work.MoveIn{Task: "demo-1", To: "done"})
	body = page("/t/demo-1")
	if got := said(body, `id="now"`); !strings.HasPrefix(got, `id="now" aria-label="Now"> Done now , by bot.`) ||
		!strings.Contains(got, "3 of 3 criteria ticked (1 run, 1 seen, 1 without evidence); ran make test, 1.2s, on commit abababababab") {
		t.Errorf("a done task leads with %.300q", got)
	}
	if strings.Contains(body, `id="why"`) || strings.Contains(body, `id="review"`) {
		t.Error("a done task has a section about what is in the way, or about its review")
	}
}
