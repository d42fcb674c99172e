package importer_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/importer"
	"tasker/internal/plan"
	"tasker/internal/task"
)

// read imports a text of one file.
func read(kind, text string) (*importer.Batch, error) {
	return importer.Read(importer.Source{Kind: kind, Project: "demo", Files: []importer.File{{Name: "file", Data: []byte(text)}}})
}

func mustRead(t *testing.T, kind, text string) *importer.Batch {
	t.Helper()
	b, err := read(kind, text)
	if err != nil {
		t.Fatalf("%v %v", err, fault.Of(err).Missing)
	}
	return b
}

// samples has a hostile text of each kind, and n rows of it.
var samples = map[string]func(n int) string{
	"beads": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"id":"bd-%d","title":"Task %d","status":"open","priority":2,"acceptance_criteria":"- [x] a\n- b",`+
				`"dependencies":[{"issue_id":"bd-%d","depends_on_id":"bd-%d","type":"blocks"}],"comments":[{"author":"x","text":"hello"}]}`+"\n",
				i, i, i, max(i-1, 0)/2*2+1)
		}
		return b.String()
	},
	"github": func(n int) string {
		var b strings.Builder
		b.WriteString("[")
		for i := range n {
			if i > 0 {
				b.WriteString(",\n")
			}
			fmt.Fprintf(&b, `{"number":%d,"title":"Issue %d","body":"- [ ] a","state":"OPEN","comments":[]}`, i+1, i)
		}
		return b.String() + "]"
	},
	"markdown": func(n int) string {
		var b strings.Builder
		for i := range n {
			if i%100 == 0 {
				fmt.Fprintf(&b, "# Part %d\n\n", i/100)
			}
			fmt.Fprintf(&b, "- [ ] Task %d\n  - [x] a\n", i)
		}
		return b.String()
	},
}

func TestEveryKindReadsTenThousandRows(t *testing.T) {
	for kind, rows := range samples {
		b := mustRead(t, kind, rows(10_000))
		if len(b.Items) < 10_000 {
			t.Errorf("%s: %d items", kind, len(b.Items))
		}
		if err := b.Document().Check(); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestEveryKindHasASample(t *testing.T) {
	for _, kind := range importer.Kinds {
		if samples[kind] == nil && kind != "tasker" {
			t.Errorf("%s has no sample", kind)
		}
	}
}

// TestHostileTextIsAFaultOrText: nothing that a file holds makes a reader fail otherwise than by a refusal.
func TestHostileTextIsAFaultOrText(t *testing.T) {
	deep := strings.Repeat(`[`, 100_000)
	for kind, rows := range samples {
		good := rows(3)
		for _, text := range []string{
			"", "\x00", "\xff\xfe", deep, strings.Repeat(`{"a":`, 100_000), good[:len(good)/2], good + "\x00", strings.ReplaceAll(good, "a", "\xff"),
			strings.ReplaceAll(good, "Task", "\x1b[31m\u202e"), "\ufeff" + good, strings.ReplaceAll(good, "\n", "\r\n"), "null", "[null]", `{"tasks":3}`, "[[]]",
		} {
			b, err := read(kind, text)
			if err != nil {
				if e := fault.Of(err); e.Kind != fault.Invalid || e.Hint == "" {
					t.Errorf("%s: %.40q: %v", kind, text, err)
				}
				continue
			}
			if _, err := plan.Compare(b.Document(), plan.State{}, task.Actor{}); err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %.40q: %v", kind, text, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for kind, rows := range samples {
		f.Add(kind, rows(3))
	}
	f.Fuzz(func(t *testing.T, kind, text string) {
		b, err := read(kind, text)
		if err != nil {
			return
		}
		if len(b.Items) == 0 {
			t.Fatal("a batch without an item was accepted")
		}
		if err := b.Document().Check(); err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatal(err)
		}
	})
}

func TestFaultsNameTheirLine(t *testing.T) {
	_, err := read("beads", `{"id":"a","title":"One"}
{"id":"a","title":"Two"}

{"id":"b","title":3}
{"title":"Four"}
{"id":"c","title":"nul \u0000"}
{`)
	missing := strings.Join(fault.Of(err).Missing, "\n")
	for _, want := range []string{`line 2: "a" stands in line 1 already`, "line 4: /title is a JSON number", "line 5: it has no key",
		"line 6: the title has U+0000 in it", "line 7: this is not valid JSON"} {
		if !strings.Contains(missing, want) {
			t.Errorf("%q is not among:\n%s", want, missing)
		}
	}
}

func TestAReferenceToNothingIsTold(t *testing.T) {
	b := mustRead(t, "beads", `{"id":"a","title":"One","dependencies":[{"issue_id":"a","depends_on_id":"z","type":"blocks"},`+
		`{"issue_id":"a","depends_on_id":"y","type":"parent-child"},{"issue_id":"a","depends_on_id":"x","type":"related"}]}`)
	if fmt.Sprint(b.Unplaced) != "[{a related x} {a parent y} {a dependency z}]" || b.UnplacedTotal != 3 {
		t.Error(b.Unplaced)
	}
	if d := b.Document().Tasks[0]; d.Deps.Set || d.Parent.Set {
		t.Errorf("%+v", d)
	}
}

func TestAHeadingIsDoneWhereAllBelowItIs(t *testing.T) {
	b := mustRead(t, "markdown", "# A\n## B\n- [x] one\n## C\n- [ ] two\n# D\n- [x] three\n")
	got := map[string]task.Status{}
	for _, it := range b.Items {
		got[it.Title] = it.Status
	}
	if fmt.Sprint(got) != "map[A:open B:done C:open D:done one:done three:done two:open]" {
		t.Error(got)
	}
}
