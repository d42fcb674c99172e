package importer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/transfer/importer"
)

// read imports a single file with the given text.
func read(kind, text string) (*importer.Batch, error) {
	src := importer.Source{Kind: kind, Project: "demo", Files: []importer.File{{Name: "file", Data: []byte(text)}}}
	if kind == importer.Folder {
		src.Files = nil
		for i, part := range strings.Split(text, nextFile) {
			src.Files = append(src.Files, importer.File{Name: fmt.Sprintf("tasks/task-%d - A part.md", i+1), Data: []byte(part)})
		}
	}
	return importer.Read(src)
}

// nextFile separates the files of a folder.
const nextFile = "\n=== the next file ===\n"

func mustRead(t *testing.T, kind, text string) *importer.Batch {
	t.Helper()
	b, err := read(kind, text)
	if err != nil {
		t.Fatalf("%v %v", err, fault.Of(err).Missing)
	}
	return b
}

// samples has a hostile text of each kind, with n rows.
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
	"gitea": func(n int) string {
		return numbered("[", "]", n, `{"number":%d,"title":"Task a","body":"a","state":"open","comments":2,"pull_request":null}`)
	},
	"taskmaster": func(n int) string {
		return numbered(`{"master":{"tasks":[`, `],"metadata":{}}}`, n, `{"id":%d,"title":"Task a","description":"a","status":"pending","dependencies":[],`+
			`"priority":"high","subtasks":[{"id":1,"title":"Part a","status":"done","dependencies":[]}]}`)
	},
	"taskwarrior": func(n int) string {
		return numbered("[", "]", n, `{"id":1,"uuid":"a-%d","description":"Task a","status":"pending","due":"20300101T000000Z","tags":["x"],"urgency":1.5}`)
	},
	"backlog": func(n int) string {
		var files []string
		for i := range n {
			files = append(files, fmt.Sprintf("---\nid: TASK-%d\ntitle: 'Task a'\nstatus: To Do\nassignee: ['@ann']\ndependencies: []\n---\n\n"+
				"## Description\n\ntext a\n\n## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [x] #1 a\n<!-- AC:END -->\n", i+1))
		}
		return strings.Join(files, nextFile)
	},
	"csv": func(n int) string {
		return "key,title,status,deps\n" + strings.ReplaceAll(numbered("", "\n", n, `k%d,Task a,open,`), ",,\n", ",\n")
	},
	"jira": func(n int) string {
		return numbered(`{"issues":[`, `]}`, n, `{"key":"SHOP-%d","fields":{"summary":"Task a","description":"text a","status":{"name":"To Do"}}}`)
	},
	"linear": func(n int) string {
		return `"ID","Team","Title","Description","Status","Priority","Canceled","Completed"` + "\n" +
			strings.ReplaceAll(numbered("", "\n", n, `"ENG-%d","Eng","Task a","text a","Todo","Urgent","",""`), ",\n", "\n")
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

// numbered writes n rows, each with its number.
func numbered(before, after string, n int, row string) string {
	var b strings.Builder
	b.WriteString(before)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, row, i+1)
	}
	return b.String() + after
}

func TestTheKindsOfTables(t *testing.T) {
	b := mustRead(t, "linear", `ID,Title,Description,Status,Priority,Assignee,Parent issue,Blocked by,Due Date,Labels,Completed,Canceled
ENG-1,Top,"- [x] one
- [ ] two",In Progress,High,ann,,,2030-01-02,bug,,
ENG-2,Part,,Done,No priority,,ENG-1,"ENG-1, ENG-9",,,2026-01-02,
ENG-3,Gone,,Shipped,Low,,,,,,,2026-01-02
`)
	got := ""
	for _, it := range b.Items {
		got += fmt.Sprintln(it.Where, it.Key, it.Status, it.Parent, it.Deps, it.Actor, it.Due, len(it.Criteria), len(it.Ticked()))
	}
	if got != "line 2 ENG-1 in_progress  [] ann 2030-01-02 2 1\nline 4 ENG-2 done ENG-1 [ENG-1]   0 0\nline 5 ENG-3 cancelled  []   0 0\n" {
		t.Error(got)
	}
	if fmt.Sprint(b.Unplaced) != "[{ENG-1 labels bug} {ENG-3 status Shipped} {ENG-2 dependency ENG-9}]" {
		t.Error(b.Unplaced)
	}
	src := importer.Source{Kind: "csv", Project: "demo", Map: map[string]string{"title": "What", "criteria": "Done when"},
		Files: []importer.File{{Name: "x", Data: []byte("What,Done when,Priority\nDo it,\"[x] a\nb\",urgent\n'=1+1,,3\n")}}}
	b, err := importer.Read(src)
	if err != nil || b.Items[0].Key != "csv:do-it" || len(b.Items[0].Ticked()) != 1 || b.Items[1].Title != "=1+1" || *b.Items[1].Priority != 3 {
		t.Errorf("%v %+v", err, b)
	}
	src.Map["title"] = "Nothing"
	if _, err := importer.Read(src); !fault.Is(err, fault.Invalid) || !strings.Contains(fault.Of(err).Missing[0], "there is no column") {
		t.Error(err)
	}
}

// A table without keys refers to tasks by their titles, if those are unique.
func TestATableNamesTasksByTheirTitles(t *testing.T) {
	src := importer.Source{
		Kind:    "csv",
		Project: "demo",
		Map:     map[string]string{"title": "Name", "deps": "Blocked by"},
		Files: []importer.File{{Name: "x", Data: []byte(
			"Name,Parent,Blocked by,Priority\nLogin page,,,P1\nTests,login PAGE,Login page,p0\nTwice,,,PP\nTwice ,,,2\nDeploy,,Tests;Twice,x\n")}},
	}
	if _, err := importer.Read(src); !fault.Is(err, fault.Invalid) || !strings.Contains(fault.Of(err).Missing[0], "is already in") {
		t.Errorf("two tasks of one name: %v", err)
	}
	src.Files[0].Data = []byte("Name,Parent,Blocked by,Priority\nLogin page ,,,P1\nTests,login PAGE,Login page,p0\nDeploy,,Tests;Twice,x\n")
	b, err := importer.Read(src)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, it := range b.Items {
		got += fmt.Sprintln(it.Key, it.Parent, it.Deps, it.Priority != nil && *it.Priority < 2)
	}
	if got != "csv:login-page  [] true\ncsv:tests csv:login-page [csv:login-page] true\ncsv:deploy  [csv:tests] false\n" {
		t.Error(got)
	}
	if fmt.Sprint(b.Unplaced) != "[{csv:deploy priority x} {csv:deploy dependency Twice}]" {
		t.Error(b.Unplaced)
	}
	src.Map = nil
	_, err = importer.Read(src)
	if f := fault.Of(err); f == nil || len(f.Missing) != 1 || f.Missing[0] != "line 1: no column is called title; say which one it is with --map title=COLUMN; "+
		"the columns are Name, Parent, Blocked by, Priority" {
		t.Errorf("without a title: %v", err)
	}
	src.Files[0].Data = []byte(strings.Repeat("column,", 10_000) + "last\nx\n")
	if _, err = importer.Read(src); len(fault.Of(err).Missing[0]) > 500 {
		t.Errorf("a table of 10,000 columns is refused in %d bytes", len(fault.Of(err).Missing[0]))
	}
}

func TestBothExportsOfJira(t *testing.T) {
	summary := func(b *importer.Batch) (got string) {
		for _, it := range b.Items {
			got += fmt.Sprintln(it.Key, it.Title, it.Status, it.Parent, it.Deps, it.Actor, it.Due, *it.Priority, len(it.Ticked()), len(it.Notes))
		}
		return got
	}
	want := "SHOP-1 Cart in_review  [] Ann Lee 2030-01-02 1 0 1\nSHOP-2 Pay cancelled SHOP-1 [SHOP-1]   2 1 0\n"
	b := mustRead(t, "jira", `{"startAt": 0, "issues": [
		{"id": "10", "key": "SHOP-1", "fields": {"summary": "Cart", "description": null,
		 "status": {"name": "Code Review", "statusCategory": {"key": "indeterminate"}},
		 "priority": {"name": "High"}, "assignee": {"displayName": "Ann Lee"}, "duedate": "2030-01-02", "labels": ["x"], "issuetype": {"name": "Story"},
		 "issuelinks": [{"type": {"inward": "is blocked by", "outward": "blocks"}, "outwardIssue": {"key": "SHOP-2"}}],
		 "comment": {"comments": [{"author": {"displayName": "Bo"}, "created": "2026-01-01T10:00:00.000+0000", "body": {"type": "doc", "content":
		   [{"type": "paragraph", "content": [{"type": "text", "text": "look"}]}]}}]}}},
		{"id": "11", "key": "SHOP-2", "fields": {"summary": "Pay", "description": "- [x] one", "status": {"name": "Done", "statusCategory": {"key": "done"}},
		 "resolution": {"name": "Won't Do"}, "priority": {"name": "Medium"}, "parent": {"key": "SHOP-1"},
		 "issuelinks": [{"type": {"inward": "is blocked by", "outward": "blocks"}, "inwardIssue": {"key": "SHOP-1"}}]}}]}`)
	if got := summary(b); got != want {
		t.Error(got)
	}
	if !strings.Contains(b.Items[0].Notes[0], "look") || fmt.Sprint(b.Unplaced) != "[{SHOP-1 issue type Story} {SHOP-1 label x}]" {
		t.Error(b.Items[0].Notes, b.Unplaced)
	}
	b = mustRead(t, "jira", `Summary,Issue key,Issue id,Status,Status Category,Resolution,Priority,Assignee,Due date,Parent,`+
		`Inward issue link (Blocks),Description,Comment,Comment
Cart,SHOP-1,10,Code Review,In Progress,,High,Ann Lee,02/Jan/30 12:00 AM,,,,"01/Jan/26 10:00 AM;Bo;look; twice",
Pay,SHOP-2,11,Done,Done,Won't Do,Medium,,,10,SHOP-1,- [x] one,,
`)
	if got := summary(b); got != want {
		t.Error(got)
	}
	if !strings.HasSuffix(b.Items[0].Notes[0], "look; twice") {
		t.Error(b.Items[0].Notes)
	}
}

func TestTaskMasterAndTaskwarrior(t *testing.T) {
	b := mustRead(t, "taskmaster", `{"master": {"tasks": [
		{"id": 1, "title": "One", "status": "in-progress", "priority": "high", "dependencies": [], "details": "how", "subtasks": [
			{"id": 1, "title": "Sub", "status": "done", "dependencies": []}, {"id": 2, "title": "Sub 2", "status": "deferred", "dependencies": [1]}]},
		{"id": "2", "title": "Two", "status": "pending", "dependencies": [1, "1.2"]}]}, "side": {"tasks": [{"id": 1, "title": "Aside", "status": "review"}]}}`)
	got := ""
	for _, it := range b.Items {
		got += fmt.Sprintln(it.Key, it.Status, it.Parent, it.Deps)
	}
	if got != "tm-1 in_progress  []\ntm-1.1 done tm-1 []\ntm-1.2 open tm-1 [tm-1.1]\ntm-2 open  [tm-1 tm-1.2]\ntm-side:1 in_review  []\n" {
		t.Error(got)
	}
	if fmt.Sprint(b.Unplaced) != "[{tm-1.2 status deferred}]" {
		t.Error(b.Unplaced)
	}
	b = mustRead(t, "taskwarrior", `[{"uuid":"u1","description":"Call","status":"completed","priority":"H","depends":"u2,u3","due":"20300102T030405Z",`+
		`"annotations":[{"entry":"20260101T000000Z","description":"left a word"}],"project":"home","tags":["x"]},`+
		`{"uuid":"u2","description":"Find the number","status":"pending","start":"20260101T000000Z","depends":[]}]`)
	if it := b.Items[0]; it.Due != "2030-01-02T03:04:05Z" || fmt.Sprint(it.Deps) != "[u2]" || *it.Priority != 1 || len(it.Notes) != 1 ||
		b.Items[1].Status != task.InProgress {
		t.Errorf("%+v", b.Items)
	}
}

func TestBacklogHasAFileForEachTask(t *testing.T) {
	b := mustRead(t, "backlog", `---
id: task-3
title: The cart
status: In Progress
assignee:
  - '@sara'
  - '@tom'
created_date: '2025-06-08'
labels: [shop]
dependencies:
  - TASK-1
  - task-99
parent_task_id: task-1
priority: high
references: ['https://example.org/cart', src/cart.go]
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Add things.

`+"```"+`
## no section
`+"```"+`
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 It adds
- [ ] #2 It removes
<!-- AC:END -->

## Definition of Done
- [ ] #1 Tests pass

## Implementation Plan

First this.

## Implementation Notes

Went well.
`+nextFile+"---\nid: task-1\nstatus: Weird\n---\n")
	it := b.Items[0]
	if it.Key != "task-3" || it.Title != "The cart" || it.Status != task.InProgress || it.Actor != "sara" || *it.Priority != 1 || it.Parent != "task-1" {
		t.Errorf("%+v", it)
	}
	if fmt.Sprint(it.Deps) != "[task-1]" || fmt.Sprint(it.Criteria) != "[{It adds true } {It removes false } {Tests pass false }]" {
		t.Errorf("%v %v", it.Deps, it.Criteria)
	}
	const body = "Add things.\n\n```\n## no section\n```\n\n## Implementation Plan\n\nFirst this."
	if it.Body != body || fmt.Sprint(it.Notes) != "[Implementation Notes:\n\nWent well.]" {
		t.Errorf("%q %q", it.Body, it.Notes)
	}
	if len(it.Links) != 1 || b.Items[1].Title != "A part" || b.Items[1].Status != task.Open {
		t.Errorf("%v %+v", it.Links, b.Items[1])
	}
	var left []string
	for _, u := range b.Unplaced {
		left = append(left, u.Item+" "+u.Field+" "+u.Value)
	}
	want := "task-3 assignee tom, task-3 references src/cart.go, task-3 labels shop, task-1 status Weird, task-3 dependency task-99"
	if got := strings.Join(left, ", "); got != want {
		t.Errorf("%s\n%s", got, want)
	}
}

func TestFaultsOfAFolderNameTheFileAndItsLine(t *testing.T) {
	_, err := read("backlog", strings.Join([]string{
		"no fields", "---\nid: task-1\ntitle: [\n---\n", "---\ntitle: x\n---\n", "---\nid: a\n---\n", "---\nid: A\n---\n",
	}, nextFile))
	missing := strings.Join(fault.Of(err).Missing, "\n")
	for _, want := range []string{"task-1 - A part.md: it does not begin with fields", "task-2 - A part.md: the fields are not valid YAML: line 3",
		"task-3 - A part.md: it has no id", `task-5 - A part.md: "a" is already in tasks/task-4 - A part.md`} {
		if !strings.Contains(missing, want) {
			t.Errorf("%q is not among:\n%s", want, missing)
		}
	}
}

func TestMoreThanAPlanHoldsIsNotKept(t *testing.T) {
	const over = task.MaxTasks + 1000
	for _, kind := range []string{"csv", "jira", "markdown"} {
		b, err := read(kind, samples[kind](over))
		if fault.Of(err) == nil || !strings.Contains(err.Error(), "more than 50000") {
			t.Errorf("%s: %v", kind, err)
		}
		if b != nil && len(b.Items) > task.MaxTasks+1 {
			t.Errorf("%s: %d items are kept", kind, len(b.Items))
		}
	}
	n := 0
	text := strings.Repeat("x", 1<<20)
	_, err := importer.FromRecords("demo", func() (*query.Record, error) {
		if n++; n > 1000 {
			return nil, errors.New("a thousand notes were taken")
		}
		if n == 1 {
			return &query.Record{Table: "task", Columns: []string{"id", "key"}, Values: []any{int64(1), "one"}}, nil
		}
		return &query.Record{Table: "note", Columns: []string{"task", "text"}, Values: []any{int64(1), text}}, nil
	})
	if !fault.Is(err, fault.TooLarge) || n > importer.MaxBytes/len(text)+2 {
		t.Error(n, err)
	}
}

// Reading a text of very many lines takes linear, not quadratic, time.
func TestATextOfManyLinesIsRead(t *testing.T) {
	const lines = 1 << 19
	many := strings.Repeat("  a\n", lines)
	b := mustRead(t, "markdown", "# H\n\n"+strings.Repeat("a\n", lines)+"- [ ] T\n"+many)
	if n := len(b.Items[1].Body); n != 2*lines-1 {
		t.Errorf("the body has %d bytes", n)
	}
	b = mustRead(t, "beads", `{"id":"b1","title":"T","status":"open","acceptance_criteria":"- x\n`+strings.Repeat(`  a\n`, lines)+`"}`)
	if c := b.Items[0].Criteria; len(c) != 1 || len(c[0].Text) != 1+2*lines {
		t.Errorf("there are %d criteria", len(c))
	}
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

// TestHostileTextIsAFaultOrText checks that whatever a file holds, a reader fails only with a
// refusal.
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
{`+"\n"+`{"id":"d","description":"no title"}`)
	missing := strings.Join(fault.Of(err).Missing, "\n")
	for _, want := range []string{`line 2: "a" is already in line 1`, "line 4: /title is a JSON number", "line 5: it has no key",
		"line 6 (c): the title has U+0000 in it", "line 7: this is not valid JSON", "line 8 (d): it has no title"} {
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
