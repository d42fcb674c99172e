package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/fault"
	"tasker/internal/task"
)

// allowed are the names of a task in a document, as a fault lists them.
var allowed = "key, " + strings.Join(task.Settable, ", ") + ", status, evidence"

// one wraps members of a task into a plan of one task.
func one(members string) string {
	return `{"project":"demo","tasks":[{"key":"a","title":"A",` + members + `}]}`
}

func TestDecodeKeepsWhatIsGivenApartFromWhatIsLeftOut(t *testing.T) {
	doc := decoded(t, one(`"body":null,"deps":[],"priority":null,"due":"","criteria":["x"],"status":null`))
	d := doc.Tasks[0]
	want := TaskDef{Key: "a", Status: Give(task.Status(""))}
	want.Title, want.Body, want.Deps, want.Due = Give("A"), Give(task.Opt("")), Give([]string(nil)), Give(task.Opt(""))
	want.Priority, want.Criteria = Give(task.DefaultPriority), Give([]string{"x"})
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeReadsEveryField(t *testing.T) {
	doc := decoded(t, `{
		"project": "demo", "name": "Demo", "vision": "V", "gates": {"ship": ["ci"], "none": []},
		"tasks": [{"key": "a", "title": "A \u00e9 \ud83d\ude00", "body": "B", "parent": "p", "deps": ["d", "e"], "priority": 0, "severity": 4.0,
			"due": "2026-02-28", "gate": "ship", "autonomy": "human_only", "preferredActor": "ada", "mayExecute": ["dev"],
			"touches": ["a/**"], "criteria": ["c"], "links": [{"kind": "doc", "ref": "r", "note": "n"}, {"kind": "url", "ref": "u"}],
			"status": "in_review", "evidence": [{"kind": "ci", "value": "v", "note": null}]}]}`)
	want := &Document{Project: "demo", Name: Give(task.Opt("Demo")), Vision: Give(task.Opt("V")),
		Gates: Give(map[string][]string{"ship": {"ci"}, "none": nil}), checked: true}
	d := TaskDef{Key: "a", Status: Give(task.InReview), Evidence: Give([]task.EvidenceItem{{Kind: "ci", Value: "v"}})}
	d.Title, d.Body, d.Parent, d.Deps = Give("A é 😀"), Give(task.Opt("B")), Give(task.Opt("p")), Give([]string{"d", "e"})
	d.Priority, d.Severity, d.Due, d.Gate = Give(0), Give(task.Severity(4)), Give(task.Opt("2026-02-28")), Give(task.Opt("ship"))
	d.Autonomy, d.PreferredActor = Give(task.Opt("human_only")), Give(task.Opt("ada"))
	d.MayExecute, d.Touches, d.Criteria = Give([]string{"dev"}), Give([]string{"a/**"}), Give([]string{"c"})
	d.Links = Give([]task.Link{{Kind: "doc", Ref: "r", Note: "n"}, {Kind: "url", Ref: "u"}})
	want.Tasks = []TaskDef{d}
	if diff := cmp.Diff(want, doc, cmp.AllowUnexported(Document{})); diff != "" {
		t.Error(diff)
	}
}

// faulty are plans with the fault that each must be refused for.
var faulty = []struct{ name, src, want string }{
	{"no body", ``, `project: is required`},
	{"no tasks", `{"project":"demo"}`, `tasks: is required`},
	{"an empty list of tasks", `{"project":"demo","tasks":[]}`, `tasks: must not be empty`},
	{"tasks null", `{"project":"demo","tasks":null}`, `tasks: must be a list, not null`},
	{"a list for a plan", `[]`, `must be an object, not a list`},
	{"a text for a plan", `"demo"`, `must be an object, not the string "demo"`},
	{"project empty", `{"project":"","tasks":[{"key":"a","title":"A"}]}`, `project: must not be empty`},
	{"project null", `{"project":null,"tasks":[{"key":"a","title":"A"}]}`, `project: must be a string, not null`},
	{"project no slug", `{"project":"My Plan","tasks":[{"key":"a","title":"A"}]}`, `for example my-plan`},
	{"project ends in a hyphen", `{"project":"a-","tasks":[{"key":"a","title":"A"}]}`, `project: "a-" is not a project slug`},
	{"project too long", `{"project":"` + strings.Repeat("a", 64) + `","tasks":[{"key":"a","title":"A"}]}`, `is not a project slug`},
	{"an unknown name at the root", `{"project":"demo","nmae":"x","tasks":[{"key":"a","title":"A"}]}`,
		`nmae: unknown key; allowed: project, name, vision, gates, tasks; did you mean name?`},
	{"an unknown name in a task", one(`"prioritty":1`), `tasks[0].prioritty: unknown key; allowed: ` + allowed + `; did you mean priority?`},
	{"an unknown name like nothing", one(`"zzzzzzzz":1`), `tasks[0].zzzzzzzz: unknown key; allowed:`},
	{"an unknown name in a link", one(`"links":[{"kind":"doc","ref":"x","url":1}]`), `tasks[0].links[0].url: unknown key; allowed: kind, ref, note`},
	{"an unknown name in evidence", one(`"evidence":[{"kind":"ci","value":"x","values":1}]`),
		`tasks[0].evidence[0].values: unknown key; allowed: kind, value, note; did you mean value?`},
	{"an odd name", one(`"a b\n":1`), `tasks[0]["a b\n"]: unknown key`},
	{"a name in the wrong case", one(`"Priority":1`), `tasks[0].Priority: unknown key; allowed: ` + allowed + `; did you mean priority?`},
	{"a name twice", one(`"body":"x","body":"y"`), `tasks[0].body: is given twice`},
	{"a name twice, once escaped", one(`"body":"x","b\u006fdy":"y"`), `tasks[0].body: is given twice`},
	{"a gate twice", `{"project":"demo","gates":{"g":[],"g":[]},"tasks":[{"key":"a","title":"A"}]}`, `gates.g: is given twice`},
	{"a gate that is not a list", `{"project":"demo","gates":{"g":"ci"},"tasks":[{"key":"a","title":"A"}]}`, `gates.g: must be a list, not the string "ci"`},
	{"a gate that is null", `{"project":"demo","gates":{"g":null},"tasks":[{"key":"a","title":"A"}]}`, `gates.g: must be a list, not null`},
	{"a gate without a name", `{"project":"demo","gates":{"":[]},"tasks":[{"key":"a","title":"A"}]}`, `must not be empty`},
	{"a gate that asks for nothing by name", `{"project":"demo","gates":{"g":[""]},"tasks":[{"key":"a","title":"A"}]}`, `gates.g[0]: must not be empty`},
	{"gates a list", `{"project":"demo","gates":[],"tasks":[{"key":"a","title":"A"}]}`, `gates: must be an object, not a list`},
	{"no key", `{"project":"demo","tasks":[{"title":"A"}]}`, `tasks[0].key: is required`},
	{"an empty key", `{"project":"demo","tasks":[{"key":"","title":"A"}]}`, `tasks[0].key: must not be empty`},
	{"a blank key", `{"project":"demo","tasks":[{"key":" \t","title":"A"}]}`, `tasks[0].key: must not be blank`},
	{"a blank title", `{"project":"demo","tasks":[{"key":"a","title":"\u00a0 "}]}`, `tasks[0].title: must not be blank`},
	{"a long key", `{"project":"demo","tasks":[{"key":"` + strings.Repeat("k", 501) + `","title":"A"}]}`,
		`tasks[0].key: must have at most 500 characters, and has 501`},
	{"no title", `{"project":"demo","tasks":[{"key":"a"}]}`, `tasks[0].title: is required`},
	{"title null", `{"project":"demo","tasks":[{"key":"a","title":null}]}`, `tasks[0].title: must be a string, not null`},
	{"an empty title", `{"project":"demo","tasks":[{"key":"a","title":""}]}`, `tasks[0].title: must not be empty`},
	{"a long title", `{"project":"demo","tasks":[{"key":"a","title":"` + strings.Repeat("é", 501) + `"}]}`,
		`tasks[0].title: must have at most 500 characters, and has 501`},
	{"a long body", one(`"body":"` + strings.Repeat("x", 256<<10+1) + `"`), `tasks[0].body: must have at most 262144 bytes, and has 262145`},
	{"a body that is a number", one(`"body":7`), `tasks[0].body: must be a string, not the number 7`},
	{"U+0000", one(`"body":"a\u0000b"`), `tasks[0].body: holds U+0000`},
	{"a lone surrogate", one(`"body":"\ud800"`), `tasks[0].body: holds text that is not valid UTF-8`},
	{"broken UTF-8", one("\"body\":\"\xff\""), `tasks[0].body: holds text that is not valid UTF-8`},
	{"broken UTF-8 in a name", one("\"b\xffdy\":\"\""), `holds text that is not valid UTF-8`},
	{"parent a list", one(`"parent":["p"]`), `tasks[0].parent: must be a string, not a list`},
	{"deps a text", one(`"deps":"b"`), `tasks[0].deps: must be a list, not the string "b"`},
	{"a dep that is not a text", one(`"deps":["a",{}]`), `tasks[0].deps[1]: must be a string, not an object`},
	{"an empty dep", one(`"deps":[""]`), `tasks[0].deps[0]: must not be empty`},
	{"priority too high", one(`"priority":4`), `tasks[0].priority: must be a whole number from 0 to 3, not the number 4`},
	{"priority below", one(`"priority":-1`), `tasks[0].priority: must be a whole number from 0 to 3, not the number -1`},
	{"priority in part", one(`"priority":1.5`), `tasks[0].priority: must be a whole number from 0 to 3, not the number 1.5`},
	{"priority in words", one(`"priority":"1"`), `tasks[0].priority: must be a whole number from 0 to 3, not the string "1"`},
	{"priority true", one(`"priority":true`), `tasks[0].priority: must be a whole number from 0 to 3, not true`},
	{"priority beyond all", one(`"priority":1e999999999999999999999`), `tasks[0].priority: must be a whole number from 0 to 3`},
	{"severity 0", one(`"severity":0`), `tasks[0].severity: must be a whole number from 1 to 4, not the number 0`},
	{"severity 5", one(`"severity":5`), `tasks[0].severity: must be a whole number from 1 to 4, not the number 5`},
	{"no date", one(`"due":"tomorrow"`), `tasks[0].due: due "tomorrow" is not a date`},
	{"a day that is not", one(`"due":"2026-02-29"`), `tasks[0].due: due "2026-02-29" is not a date`},
	{"no autonomy", one(`"autonomy":"human-only"`), `tasks[0].autonomy: must be one of autonomous, supervised, human_only, not the string "human-only"; ` +
		`did you mean human_only?`},
	{"no status", one(`"status":"closed"`), `tasks[0].status: must be one of open, in_progress, in_review, done, cancelled, not the string "closed"`},
	{"a status that is a number", one(`"status":1`), `tasks[0].status: must be one of open, in_progress, in_review, done, cancelled, not the number 1`},
	{"a role without a name", one(`"mayExecute":[""]`), `tasks[0].mayExecute[0]: must not be empty`},
	{"an empty glob", one(`"touches":[""]`), `tasks[0].touches[0]: must not be empty`},
	{"an invalid glob", one(`"touches":["a/**","[bad"]`), `tasks[0].touches[1]: "[bad" is not a glob: a bracket or a brace is not closed, ` +
		`nothing follows a backslash, or it has too many alternatives`},
	{"an empty criterion", one(`"criteria":[""]`), `tasks[0].criteria[0]: must not be empty`},
	{"a criterion null", one(`"criteria":[null]`), `tasks[0].criteria[0]: must be a string, not null`},
	{"too many criteria", one(`"criteria":["` + strings.Repeat(`x","`, 1000) + `x"]`), `tasks[0].criteria: must have at most 1000 items`},
	{"a link without a kind", one(`"links":[{"ref":"x"}]`), `tasks[0].links[0].kind: is required`},
	{"a link of no kind", one(`"links":[{"kind":"web","ref":"x"}]`), `tasks[0].links[0].kind: must be one of doc, url, file, not the string "web"`},
	{"a link to nothing", one(`"links":[{"kind":"doc","ref":""}]`), `tasks[0].links[0].ref: must not be empty`},
	{"evidence without a value", one(`"evidence":[{"kind":"ci"}]`), `tasks[0].evidence[0].value: is required`},
	{"evidence of no kind", one(`"evidence":[{"kind":"","value":"x"}]`), `tasks[0].evidence[0].kind: must not be empty`},
	{"a task that is not an object", `{"project":"demo","tasks":["a"]}`, `tasks[0]: must be an object, not the string "a"`},
	{"text after the document", one(`"body":""`) + ` {}`, `there is text after the document: "{}"`},
}

func TestDecodeRefusesEachFaultWithItsPath(t *testing.T) {
	for _, c := range faulty {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode([]byte(c.src))
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("got %v", err)
			}
			if missing := fault.Of(err).Missing; !slices.ContainsFunc(missing, func(m string) bool { return strings.Contains(m, c.want) }) {
				t.Fatalf("got  %q\nwant %q", missing, c.want)
			}
		})
	}
}

func TestDecodeListsEveryFaultAtOnceWithItsLine(t *testing.T) {
	_, err := Decode([]byte(`{
  "project": "De mo",
  "tasks": [
    {"key": "a", "title": 5, "deps": ["x", 3]},
    {"title": "B", "priority": 9,
     "colour": "red"}
  ],
  "tasks": [{"key": "c", "title": "C"}]
}
trailing`))
	want := []string{
		`project: "De mo" is not a project slug: ` + task.SlugRule + `; for example de-mo (line 2)`,
		`tasks[0].title: must be a string, not the number 5 (line 4)`,
		`tasks[0].deps[1]: must be a string, not the number 3 (line 4)`,
		`tasks[1].priority: must be a whole number from 0 to 3, not the number 9 (line 5)`,
		`tasks[1].colour: unknown key; allowed: ` + allowed + ` (line 6)`,
		`tasks[1].key: is required (line 5)`,
		`tasks: is given twice (line 8)`,
		`there is text after the document: "trailing" (line 10)`,
	}
	if diff := cmp.Diff(want, fault.Of(err).Missing); diff != "" {
		t.Error(diff)
	}
	if got := fault.Of(err).Message; got != "the plan is not valid: 8 faults" {
		t.Errorf("message %q", got)
	}
}

func TestDecodeBoundsTheListOfFaultsAndCountsTheRest(t *testing.T) {
	src := `{"project":"demo","tasks":[` + strings.Repeat(`{"key":"a"},`, 149) + `{"key":"a"}]}`
	e := fault.Of(second(Decode([]byte(src))))
	if e.Message != "the plan is not valid: 150 faults" || len(e.Missing) != 101 || e.Missing[100] != "and 50 more" {
		t.Errorf("%q with %d listed, the last %q", e.Message, len(e.Missing), e.Missing[len(e.Missing)-1])
	}
}

func TestDecodeNamesThePlaceOfASyntaxErrorAndTheFaultsBeforeIt(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"{\n  \"project\": demo\n}", "line 2, column 14"},
		{"{\"project\": \"demo\"", "line 1, column 19: the text ends in the middle"},
		{"{\"project\": \"demo\", }", "line 1, column 19: there is a comma after the last item"},
		{"{\"é\": 1 1}", "line 1, column 9"},
		{"{\"project\": 'demo'}", "line 1, column 13"},
		{"{\"tasks\":[{\"key\":\"a\nb\"}]}", "line 1, column 20"},
		{"nul", "line 1, column 4: the text ends in the middle"},
		{"{1:2}", "line 1, column 2"},
		{"}", "line 1, column 1"},
		{strings.Repeat("[", 20_000), "line 1, column 10001"},
	} {
		e := fault.Of(second(Decode([]byte(c.src))))
		if e.Kind != fault.Invalid || !strings.Contains(e.Message, "is not valid JSON: "+c.want) {
			t.Errorf("%.40q: %v, want %s", c.src, e, c.want)
		}
	}
	e := fault.Of(second(Decode([]byte(`{"colour": 1, "project": `))))
	if len(e.Missing) != 2 || !strings.HasPrefix(e.Missing[0], "colour: unknown key") {
		t.Errorf("got %q", e.Missing)
	}
}

func second[A any](_ A, err error) error { return err }

func TestDecodeBoundsTasksAndEdges(t *testing.T) {
	task50001 := strings.Repeat(`{"key":"a","title":"A"},`, task.MaxTasks) + `{"key":"a","title":"A"}`
	e := fault.Of(second(Decode([]byte(`{"project":"demo","tasks":[` + task50001 + `]}`))))
	if !slices.Equal(e.Missing, []string{"tasks: must have at most 50000 items"}) {
		t.Errorf("got %q", e.Missing)
	}
	deps := `{"key":"a","title":"A","deps":["` + strings.Repeat(`a","`, 9_999) + `a"]}`
	e = fault.Of(second(Decode([]byte(`{"project":"demo","tasks":[` + strings.Repeat(deps+",", 50) + deps + `]}`))))
	if !slices.Equal(e.Missing, []string{"tasks: must have at most 500000 deps in all, and have 510000"}) {
		t.Errorf("got %q", e.Missing)
	}
}

func TestDecodeTakesTheMarkThatEditorsPutFirst(t *testing.T) {
	decoded(t, "\ufeff"+one(`"body":"x"`))
}

func TestDecodeTaskTakesAProjectAndNeedsNoKey(t *testing.T) {
	project, def, err := DecodeTask([]byte(`{"project":"demo","title":"A","status":"done","deps":["b"]}`))
	if err != nil || project != "demo" || def.Key != "" || def.Title.Value != "A" || def.Status.Value != task.Done || len(def.Deps.Value) != 1 {
		t.Errorf("%q %+v %v", project, def, err)
	}
	project, def, err = DecodeTask([]byte(`{"title":"A","project":null,"key":null}`))
	if err != nil || project != "" || def.Key != "" {
		t.Errorf("%q %+v %v", project, def, err)
	}
	e := fault.Of(thirdOf(DecodeTask(nil)))
	if e.Kind != fault.Invalid || !slices.Equal(e.Missing, []string{"title: is required"}) {
		t.Errorf("got %q", e.Missing)
	}
	e = fault.Of(thirdOf(DecodeTask([]byte(`{"title":"A","key":""}`))))
	if !slices.Equal(e.Missing, []string{"key: must not be empty"}) {
		t.Errorf("an empty key: got %q", e.Missing)
	}
	e = fault.Of(thirdOf(DecodeTask([]byte(`{"title":"A","key":7,"tasks":[]}`))))
	if len(e.Missing) != 2 || !strings.HasPrefix(e.Missing[0], "key: must be a string") ||
		!strings.HasPrefix(e.Missing[1], "tasks: unknown key; allowed: project, key, title,") {
		t.Errorf("got %q", e.Missing)
	}
}

func thirdOf[A, B any](_ A, _ B, err error) error { return err }

func TestDecodeEditTakesWhatCanBeEditedAndSaysWhereTheRestIs(t *testing.T) {
	e, err := DecodeEdit([]byte(`{"title":"T","body":null,"addDeps":["a"],"removeDeps":["b"],"addCriteria":["c"],"removeCriteria":["d"],` +
		`"expectedVersion":3,"fence":null}`))
	if err != nil {
		t.Fatal(err)
	}
	version := int64(3)
	want := &Edit{AddDeps: []string{"a"}, RemoveDeps: []string{"b"}, AddCriteria: []string{"c"}, RemoveCriteria: []string{"d"}, ExpectedVersion: &version}
	want.Title, want.Body = Give("T"), Give(task.Opt(""))
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	f := fault.Of(second(DecodeEdit([]byte(`{"status":"done","key":"k","evidence":[],"title":null,"fence":-1,"expectedVersion":"3"}`))))
	for i, want := range []string{"status: is not changed by an edit", "key: cannot be changed", "evidence: is not changed by an edit",
		"title: must be a string, not null",
		"fence: must be a whole number from 0", "expectedVersion: must be a whole number from 0"} {
		if i >= len(f.Missing) || !strings.HasPrefix(f.Missing[i], want) {
			t.Fatalf("got %q, want %q at %d", f.Missing, want, i)
		}
	}
}
