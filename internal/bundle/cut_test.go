package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"tasker/internal/bundle/tokens"
	"tasker/internal/hint"
	"tasker/internal/task"
)

// filler returns texts that are awkward to count: some long runs are few tokens, others many, and quotes and breaks are
// escaped.
func filler() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "task", " ", "\n", "=", "-", `"`, `\`, "é", "日本", "🙂", "12345", "},{", "null", "\t", "://x", "'s", "A", "\xff", "\u200b",
		strings.Repeat(" ", 200), strings.Repeat("=", 200), strings.Repeat("word ", 60), strings.Repeat("aB", 100), strings.Repeat("\n", 64),
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
	})
}

func some[T any](limit int, one func(t *rapid.T, i int) T) *rapid.Generator[[]T] {
	return rapid.Custom(func(t *rapid.T) []T {
		var out []T
		for i := range rapid.IntRange(0, limit).Draw(t, "n") {
			out = append(out, one(t, i))
		}
		return out
	})
}

func draw(t *rapid.T) (*Bundle, []int64) {
	w := filler()
	text := func(what string) string { return w.Draw(t, what) }
	brief := func(t *rapid.T, i int) Brief {
		return Brief{ID: task.MakeID("demo", int64(i+2)), Title: w.Draw(t, "title"), Status: task.Open}
	}
	dep := func(t *rapid.T, i int) Dep {
		return Dep{ID: task.MakeID("demo", int64(i+2)), Title: w.Draw(t, "title"), Status: task.Done, Outcome: task.Opt(w.Draw(t, "outcome"))}
	}
	b := &Bundle{
		Task:    &task.Task{ID: "demo-1", Project: "demo", Title: text("title"), Body: task.Opt(text("body")), Status: task.Open, Parent: "demo-2"},
		Project: InProject{Slug: "demo", Vision: task.Opt(text("vision"))},
		Ancestors: some(3, func(t *rapid.T, i int) Ancestor {
			return Ancestor{ID: task.MakeID("demo", int64(i+2)), Title: w.Draw(t, "title"), Status: task.Open, Body: task.Opt(w.Draw(t, "body"))}
		}).Draw(t, "ancestors"),
		Children: some(3, brief).Draw(t, "children"), Deps: some(3, dep).Draw(t, "deps"), Dependents: some(3, brief).Draw(t, "dependents"),
		Criteria: some(2, func(t *rapid.T, i int) task.Criterion { return task.Criterion{Index: i + 1, Text: w.Draw(t, "text")} }).Draw(t, "criteria"),
		Approvals: ApprovalState{Required: []Need{{Kind: "approval", Reason: task.Opt(text("reason"))}},
			Given: some(2, func(_ *rapid.T, i int) task.Approval { return task.Approval{ID: int64(i + 1), Task: "demo-1"} }).Draw(t, "given")},
		Notes: some(6, func(t *rapid.T, i int) task.Note {
			return task.Note{ID: int64(i + 1), Task: "demo-1", Actor: "bot", Text: w.Draw(t, "text")}
		}).Draw(t, "notes"),
		Decisions: some(2, func(t *rapid.T, i int) task.Decision {
			return task.Decision{ID: int64(i + 1), Title: w.Draw(t, "title")}
		}).Draw(t, "decisions"),
		Questions: some(2, func(t *rapid.T, i int) task.Question { return task.Question{ID: int64(i + 1), Text: w.Draw(t, "text")} }).Draw(t, "questions"),
		Evidence: some(3, func(t *rapid.T, i int) task.Evidence {
			return task.Evidence{ID: int64(i + 1), Value: w.Draw(t, "value"), Output: task.Opt(w.Draw(t, "output"))}
		}).Draw(t, "evidence"),
		Links:    some(2, func(t *rapid.T, _ int) task.Link { return task.Link{Kind: "url", Ref: w.Draw(t, "ref")} }).Draw(t, "links"),
		Bindings: some(2, func(t *rapid.T, i int) task.Binding { return task.Binding{ID: int64(i + 1), Ref: w.Draw(t, "ref")} }).Draw(t, "bindings"),
		Guidance: some(3, func(t *rapid.T, _ int) Guidance { return Guidance{Path: w.Draw(t, "path"), Hash: "0123456789abcdef"} }).Draw(t, "guidance"),
		RecentEvents: some(4, func(t *rapid.T, i int) task.Event {
			return task.Event{ID: int64(i + 1), Kind: task.NoteAdded, Payload: jsontext.Value(`{"text":"x"}`)}
		}).Draw(t, "events"),
		Warnings: some(2, func(t *rapid.T, _ int) string { return w.Draw(t, "warning") }).Draw(t, "warnings"),
	}
	if rapid.Bool().Draw(t, "gate") {
		b.Gate = &GateState{Name: "ship", Defined: true, Missing: []string{text("kind")}}
	}
	if paths := some(4, func(t *rapid.T, _ int) string { return w.Draw(t, "path") }).Draw(t, "paths"); len(paths) > 0 {
		b.Changed = &task.ChangedPaths{Paths: paths, Total: len(paths) + 3}
	}
	var keep []int64
	for _, n := range b.Notes {
		if rapid.IntRange(0, 3).Draw(t, "keep") == 0 {
			keep = append(keep, n.ID)
		}
	}
	return b, keep
}

func asJSON(t interface{ Fatal(...any) }, v any) string {
	text, err := encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// same returns another bundle with the same content.
func same(b *Bundle) *Bundle {
	out := *b
	out.Budget.Omitted = slices.Clone(b.Budget.Omitted)
	return &out
}

// protected returns what no budget may cut.
func protected(t interface{ Fatal(...any) }, b *Bundle, keep []int64) string {
	notes := slices.DeleteFunc(slices.Clone(b.Notes), func(n task.Note) bool { return !slices.Contains(keep, n.ID) })
	return asJSON(t, []any{b.Task, b.Project.Slug, b.Project.Name, b.Criteria, b.Gate, b.Approvals.Required, b.Approvals.Missing, b.Questions, notes})
}

func TestABudgetCutsNoMoreThanItHasTo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, keep := draw(t)
		c := &cutter{of: same(b), parts: b.parts(keep), counts: map[int]int{}}
		for _, p := range c.parts {
			c.units += p.units
		}
		counts := make([]int, c.units+1) // by brute force
		for n := range counts {
			if counts[n] = c.size(c.after(n).Text()); c.err != nil {
				t.Fatal(c.err)
			}
			if n > 0 && counts[n] >= counts[n-1] {
				t.Fatalf("cut %d takes the bundle from %d tokens to %d", n, counts[n-1], counts[n])
			}
		}
		limits := []int{1, counts[c.units] - 1, counts[c.units], counts[0] - 1, counts[0], counts[0] + 100_000}
		limits = append(limits, rapid.IntRange(1, counts[0]+10).Draw(t, "limit"))
		for _, limit := range limits {
			want := slices.IndexFunc(counts, func(n int) bool { return n <= limit })
			over := want < 0
			if over {
				want = c.units
			}
			got := same(b)
			if err := got.Cut(limit, keep...); err != nil {
				t.Fatal(err)
			}
			plain := c.after(want)
			if over {
				if n := len(got.Warnings); n != len(b.Warnings)+1 ||
					!strings.Contains(got.Warnings[n-1], fmt.Sprintf("take %d tokens, more than the budget of %d", counts[c.units], limit)) {
					t.Fatalf("the warnings are %q", got.Warnings)
				}
				plain.Warnings = got.Warnings
			}
			wantText, _ := plain.Text()
			gotText, _ := got.Text()
			if gotText != wantText {
				t.Fatalf("limit %d (of %d): got\n%s\nwant, after %d cuts,\n%s", limit, counts[0], gotText, want, wantText)
			}
			if n := tokens.AtMost(gotText); n != *got.Budget.Used || !over && n > limit {
				t.Fatalf("limit %d: %d tokens, and Used says %d", limit, n, *got.Budget.Used)
			}
			if a, b := protected(t, b, keep), protected(t, got, keep); a != b {
				t.Fatalf("limit %d made\n%s\nof\n%s", limit, b, a)
			}
			items := 0
			for _, o := range got.Budget.Omitted {
				items += *o.Items
				if *o.Tokens <= 0 || !strings.HasPrefix(o.Command.String(), "tasker ") {
					t.Fatalf("omitted is %+v", o)
				}
			}
			if items != want {
				t.Fatalf("%d cuts are listed as %d: %v", want, items, asJSON(t, got.Budget.Omitted))
			}
			again := same(b)
			if err := again.Cut(limit, keep...); err != nil || asJSON(t, again) != asJSON(t, got) {
				t.Fatalf("the second time the result differs (%v)", err)
			}
		}
	})
}

func TestWhatIsCountedIsTheAnswerWithoutItsBudget(t *testing.T) {
	b := &Bundle{Task: &task.Task{ID: "demo-1", Title: "T"}}
	if err := b.Cut(100_000); err != nil {
		t.Fatal(err)
	}
	var answer map[string]jsontext.Value
	if err := json.Unmarshal([]byte(asJSON(t, b)), &answer); err != nil {
		t.Fatal(err)
	}
	text, err := b.Text()
	if err != nil {
		t.Fatal(err)
	}
	var counted map[string]jsontext.Value
	if err := json.Unmarshal([]byte(text), &counted); err != nil {
		t.Fatal(err)
	}
	delete(answer, "budget")
	if asJSON(t, answer) != asJSON(t, counted) {
		t.Errorf("%s is counted for %s", text, asJSON(t, b))
	}
	if want := strings.Replace(asJSON(t, b), `,"budget":`+asJSON(t, b.Budget)+"}", "}", 1); text != want {
		t.Errorf("counted %s, want %s", text, want)
	}
}

func TestTheOrderOfTheCutsIsFixed(t *testing.T) {
	b := &Bundle{Task: &task.Task{ID: "demo-1", Parent: "demo-2"}, Project: InProject{Slug: "demo", Vision: task.Opt(strings.Repeat("x", short))}}
	b.Ancestors = []Ancestor{{Body: task.Opt(strings.Repeat("y", short))}}
	var names []string
	for _, p := range b.parts(nil) {
		names = append(names, p.name)
	}
	want := "evidence.output recentEvents notes ancestors.body changed.paths links dependents evidence guidance project.vision children bindings approvals.given ancestors decisions deps"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func BenchmarkCut(b *testing.B) {
	one := &Bundle{Task: &task.Task{ID: "demo-1", Body: task.Opt(strings.Repeat("All of this has to be read. ", 100))}}
	for i := range 50 {
		one.Notes = append(one.Notes, task.Note{ID: int64(i), Text: strings.Repeat("And this was said of it. ", 40)})
	}
	for b.Loop() {
		c := same(one)
		if err := c.Cut(4000); err != nil {
			b.Fatal(err)
		}
	}
}

func TestOmittedNamesAPartOnce(t *testing.T) {
	b := &Bundle{Task: &task.Task{ID: "demo-1", Parent: "demo-2"}}
	for i := range 40 {
		b.Notes = append(b.Notes, task.Note{ID: int64(i), Text: strings.Repeat("And this was said of it. ", 40)})
		b.Dependents = append(b.Dependents, Brief{ID: task.MakeID("demo", int64(i+2)), Title: strings.Repeat("it waits ", 20)})
		b.Ancestors = append(b.Ancestors, Ancestor{ID: task.MakeID("demo", int64(i+2)), Title: "above"})
	}
	b.Omit("notes", 7, hint.AllOfKind("demo-1", task.NoteAdded, 1))
	b.Omit("dependents", 0, hint.Dependents("demo-1"))
	b.Omit("ancestors", 0, hint.Show("demo-900"))
	if err := b.Cut(100); err != nil {
		t.Fatal(err)
	}
	seen := map[string]Omitted{}
	for _, o := range b.Budget.Omitted {
		if _, twice := seen[o.Part]; twice {
			t.Errorf("%s is named twice: %s", o.Part, asJSON(t, b.Budget.Omitted))
		}
		seen[o.Part] = o
	}
	// The log is read from the oldest note on, and the parent lists everything above it.
	for part, want := range map[string]struct{ items, command string }{
		"notes": {"47", "tasker events --task demo-1 --kind note.added --since-id 0"}, "dependents": {"null", "tasker list --depends-on demo-1"},
		"ancestors": {"null", "tasker show demo-2"},
	} {
		if o := seen[part]; asJSON(t, o.Items) != want.items || o.Command.String() != want.command || o.Tokens == nil {
			t.Errorf("%s is omitted as %s", part, asJSON(t, o))
		}
	}
}
