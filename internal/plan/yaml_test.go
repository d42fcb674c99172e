package plan

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/task"
)

func TestDecodeYAMLReadsAPlan(t *testing.T) {
	doc, err := decodeYAML([]byte(`# a plan
project: demo
gates:
  ship: [ci, review]
tasks:
  - key: a
    title: "A: quoted"
    due: 2026-02-28          # unquoted dates are text
    priority: 1
    body: |
      several
      lines
  - key: b
    title: B
    due: 2026-02-28T10:00:00Z
    severity: 0x2
    parent: ~
    deps:
    - a
    criteria: []
    links:
    - {kind: doc, ref: docs/x.md}
`))
	if err != nil {
		t.Fatalf("%v: %q", err, missing(err))
	}
	a, b := TaskDef{Key: "a"}, TaskDef{Key: "b"}
	a.Title, a.Due, a.Priority, a.Body = Give("A: quoted"), Give(task.Opt("2026-02-28")), Give(1), Give(task.Opt("several\nlines\n"))
	b.Title, b.Due, b.Severity, b.Parent = Give("B"), Give(task.Opt("2026-02-28T10:00:00Z")), Give(task.Severity(2)), Give(task.Opt(""))
	b.Deps, b.Criteria, b.Links = Give([]string{"a"}), Give([]string{}), Give([]task.Link{{Kind: "doc", Ref: "docs/x.md"}})
	want := &Document{Project: "demo", Gates: Give(map[string][]string{"ship": {"ci", "review"}}), Tasks: []TaskDef{a, b}}
	if diff := cmp.Diff(want, doc, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Document{})); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeYAMLFollowsAnchorsAndMerges(t *testing.T) {
	doc, err := decodeYAML([]byte(`project: demo
tasks:
- &first
  key: a
  title: A
  criteria: &both [one, two]
- <<: *first
  key: b
- key: c
  title: !!str 7
  criteria: *both
- <<: [*first, {body: x, title: no}]
  key: d
`))
	if err != nil {
		t.Fatalf("%v: %q", err, missing(err))
	}
	b, c, d := doc.Tasks[1], doc.Tasks[2], doc.Tasks[3]
	if b.Key != "b" || b.Title.Value != "A" || len(b.Criteria.Value) != 2 {
		t.Errorf("b is %+v", b)
	}
	if c.Title.Value != "7" || len(c.Criteria.Value) != 2 || c.Body.Set {
		t.Errorf("c is %+v", c)
	}
	if d.Key != "d" || d.Title.Value != "A" || d.Body.Value != "x" {
		t.Errorf("d is %+v", d)
	}
}

func TestDecodeYAMLNamesThePathAndTheLineOfAFault(t *testing.T) {
	_, err := decodeYAML([]byte(`project: demo
tasks:
  - key: a
    title: A
    body: |
      long
      text
    prioritty: 1
  - key: 7
    key: b
    title: B
    due: 2026
    deps:
      - x
      - [y]
`))
	want := []string{
		`tasks[0].prioritty: unknown key; allowed: ` + allowed + `; did you mean priority? (line 8)`,
		`tasks[1].key: must be a string, not the number 7 (line 9)`,
		`tasks[1].key: is given twice (line 10)`,
		`tasks[1].due: must be a string, not the number 2026 (line 12)`,
		`tasks[1].deps[1]: must be a string, not a list (line 15)`,
	}
	if diff := cmp.Diff(want, missing(err)); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeYAMLRefusesWhatIsNoPlanInYAML(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 9) + "]\n"
	}
	merges := "a: &a {k: 1}\n"
	for c := 'b'; c < 'z'; c++ {
		merges += string(c) + ": &" + string(c) + " {<<: [" + strings.Repeat("*"+string(c-1)+",", 9) + "]}\n"
	}
	for _, c := range []struct{ name, src, want string }{
		{"an open bracket", "project: [", "line 1, column 10"},
		{"a second document", "project: demo\n---\nproject: demo\n", "there is a second document"},
		{"an alias of nothing", "project: *x\n", `line 1, column 10: there is no anchor "x" before this alias`},
		{"an alias of itself", "project: &x [*x]\n", `there is no anchor "x"`},
		{"a tag", "project: !!binary aGk=\n", `a plan has no place for the tag "!!binary"`},
		{"infinity", "project: .inf\n", "a plan has no place for"},
		{"a bomb of aliases", bomb, "its aliases expand it to more than 67108864 bytes"},
		{"a bomb of merges", merges, "it has more than 200000 merges"},
		{"deep brackets", strings.Repeat("[", 100_000), "it is nested deeper than 100"},
		{"deep entries", strings.Repeat("- ", 100_000), "it is nested deeper than 100"},
		{"deep anchors", strings.Repeat("&a ", 100_000), "it is nested deeper than 100"},
		{"a list merged as a key", "a: {<<: [1]}\n", "only a mapping can be merged"},
		{"broken UTF-8", "project: demo\nname: \xff\n", "line 2 holds text that is not valid UTF-8"},
		{"nothing", "# nothing\n", "2 faults"},
		{"a list", "- a\n", "must be an object, not a list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := decodeYAML([]byte(c.src))
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// JSON is YAML: a plan reads the same as either.
func TestDecodeYAMLReadsJSONAsDecodeDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src, err := drawDocument(t).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		fromJSON, err := Decode(src)
		if err != nil {
			t.Fatal(err)
		}
		fromYAML, err := decodeYAML(src)
		if err != nil {
			t.Fatalf("%s\n%v %q", src, err, missing(err))
		}
		if diff := cmp.Diff(fromJSON, fromYAML, cmp.AllowUnexported(Document{})); diff != "" {
			t.Fatalf("%s\n%s", src, diff)
		}
	})
}

// A plan in prose may have as many commas and brackets as it likes.
func TestCommasOfATextAreNoEntries(t *testing.T) {
	body := strings.Repeat("      It reads (see [a, b]), and writes, [as said](here), don't, "+strings.Repeat("x, ", 100)+"\n", 3000)
	doc, err := ReadYAML([]byte("project: demo\ntasks:\n  - key: a\n    title: A\n    body: |\n" + body))
	if err != nil || strings.Count(string(doc.Tasks[0].Body.Value), ",") < maxYAMLEntries {
		t.Errorf("%.300v", err)
	}
}

// decodeYAML is ReadYAML that refuses a faulty plan at once, as Decode does.
func decodeYAML(src []byte) (*Document, error) {
	doc, err := ReadYAML(src)
	if err == nil {
		err = doc.Check()
	}
	if err != nil {
		return nil, err
	}
	return doc, nil
}

// A text that is all dashes, or all commas in brackets, is refused before it is split into tokens, which would take a hundred times its size.
func TestATextOfDashesTakesLittleMemory(t *testing.T) {
	const entries = 250_000
	for name, text := range map[string]string{
		"on one line": strings.Repeat("- ", entries), "on lines": strings.Repeat("-\n", entries),
		"in brackets":             "a: [" + strings.Repeat("a,", entries) + "a]",
		"in brackets, on lines":   "a: [\n" + strings.Repeat("  a,\n", entries) + "]",
		"after a bracket in text": "a: [\"]\", ']', &b ']', # ]\n  a:b, " + strings.Repeat("a,", entries) + "]",
		"in a map":                "- {" + strings.Repeat("a: b, ", entries) + "}",
	} {
		src := []byte(text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadYAML(src)
		runtime.ReadMemStats(&after)
		if f := fault.Of(err); f == nil || f.Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%s: it took %d MiB for %d MiB", name, used>>20, len(src)>>20)
		}
	}
}
