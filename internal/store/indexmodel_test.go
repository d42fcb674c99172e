package store_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/search"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// shelf holds in memory what a search should find: every text with its context, scanned one by one.
type shelf struct {
	t    *rapid.T
	s    *store.Store
	docs []book
	ids  []task.ID // of tasks
	slug string
	n    int // number of projects created so far
}

type book struct {
	kind          search.Kind
	task          task.ID // empty: it belongs to the project
	text, context string
	by            string // what it is found by, if that is not the text
}

func (b *shelf) text(label string, limit int) string {
	words := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, limit).Draw(b.t, label)
	return strings.Join(words, " ")
}

func (b *shelf) write(fn func(*store.Tx) error) {
	if err := b.s.Write(context.Background(), storetest.Alice, fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *shelf) put(kind search.Kind, id task.ID, text, context string) {
	b.docs = append(b.docs, book{kind: kind, task: id, text: text, context: context})
}

func (b *shelf) log(id task.ID, kind task.Kind, more ...string) {
	b.put(search.Log, id, search.Text(append([]string{string(kind), "alice"}, more...)...), "")
}

// logOnly adds an event that is found by its kind only.
func (b *shelf) logOnly(id task.ID, kind task.Kind) {
	b.docs = append(b.docs, book{kind: search.Log, task: id, text: search.Text(string(kind), "alice"), by: string(kind)})
	for i, d := range b.docs { // her first task
		if d.kind == search.Actor && d.task == "" {
			b.docs[i].task = id
		}
	}
}

func (b *shelf) project() {
	b.n++
	b.slug = fmt.Sprintf("p%d", b.n)
	b.docs, b.ids = nil, nil
	b.write(func(w *store.Tx) error {
		return w.CreateProject(&task.Project{Slug: b.slug}, task.Draft{Kind: task.ProjectCreated, Payload: task.Payload{"slug": b.slug}})
	})
	b.log("", task.ProjectCreated, b.slug)
	b.put(search.Actor, "", "alice", "")
}

func (b *shelf) create() {
	list := make([]task.NewTask, rapid.SampledFrom([]int{1, 2, 3, 40}).Draw(b.t, "tasks"))
	for i := range list {
		t := storetest.Fresh(fmt.Sprintf("key-%d-%s", len(b.ids)+i, rapid.SampledFrom([]string{"x", "café", "a/b"}).Draw(b.t, "key")))
		t.Title = b.text("title", 5)
		if rapid.Bool().Draw(b.t, "body") {
			t.Body = task.Opt(b.text("body text", 10))
		}
		if rapid.Bool().Draw(b.t, "criterion") {
			t.Criteria = []task.Criterion{{Index: 1, Text: b.text("criterion text", 4)}}
		}
		list[i] = task.NewTask{Task: t, Event: task.Draft{Kind: task.TaskCreated}}
	}
	b.write(func(w *store.Tx) error {
		for i := range list {
			list[i].Task.CreatedAt, list[i].Task.UpdatedAt = w.Now(), w.Now()
		}
		return w.CreateTasks(b.slug, list)
	})
	for i := range list {
		b.ids = append(b.ids, list[i].Task.ID)
		b.shelve(list[i].Task)
		b.logOnly(list[i].Task.ID, task.TaskCreated)
	}
}

// shelve stores a task as it is now.
func (b *shelf) shelve(t *task.Task) {
	b.docs = slices.DeleteFunc(b.docs, func(d book) bool {
		return d.task == t.ID && (d.kind == search.Title || d.kind == search.Body)
	})
	b.put(search.Title, t.ID, search.Text(t.Title, t.Key), "")
	parts := []string{string(t.Body)}
	for _, c := range t.Criteria {
		parts = append(parts, c.Text)
	}
	b.put(search.Body, t.ID, search.Text(parts...), t.Title)
}

// on changes a task and its annotations.
func (b *shelf) on(fn func(w *store.Tx, t *task.Task) error) {
	if len(b.ids) == 0 {
		return
	}
	id := rapid.SampledFrom(b.ids).Draw(b.t, "task")
	b.write(func(w *store.Tx) error {
		t, err := w.Task(id)
		if err == nil {
			err = w.Fill(t)
		}
		if err != nil {
			return err
		}
		return fn(w, t)
	})
}

func (b *shelf) edit() {
	what, text := rapid.IntRange(0, 4).Draw(b.t, "field"), b.text("new text", 8)
	var after task.Task
	b.on(func(w *store.Tx, t *task.Task) error {
		after = *t
		switch what {
		case 0:
			after.Title = text
		case 1:
			after.Body = task.Opt(text)
		case 2:
			after.Body = ""
		case 3:
			after.Criteria = []task.Criterion{{Index: 1, Text: text}}
		case 4:
			after.Key = text + string(t.ID)
		}
		after.Version++
		return w.Save(task.Change{Before: t, After: &after, Whole: true, Events: []task.Draft{{Kind: task.TaskUpdated}}})
	})
	if after.ID != "" {
		b.shelve(&after)
		b.log(after.ID, task.TaskUpdated)
	}
}

func (b *shelf) tick() {
	b.on(func(w *store.Tx, t *task.Task) error {
		after := *t
		after.Criteria = slices.Clone(t.Criteria)
		for i := range after.Criteria {
			after.Criteria[i].Checked = true
		}
		after.Version++
		b.logOnly(t.ID, task.CriterionChecked)
		return w.Save(task.Change{Before: t, After: &after, Events: []task.Draft{{Kind: task.CriterionChecked}}})
	})
}

func (b *shelf) annotate() {
	what, text, more := rapid.IntRange(0, 3).Draw(b.t, "record"), b.text("text", 8), b.text("more", 3)
	b.on(func(w *store.Tx, t *task.Task) (err error) {
		switch what {
		case 0:
			_, err = w.AddNote(t, text)
			b.put(search.Note, t.ID, text, "")
			b.logOnly(t.ID, task.NoteAdded)
		case 1:
			_, err = w.AddEvidence(t, []task.EvidenceItem{{Kind: "test", Value: text, Note: task.Opt(more)}})
			b.put(search.Evidence, t.ID, search.Text("test", text, more), "")
			b.logOnly(t.ID, task.EvidenceAdded)
		case 2:
			_, err = w.AddDecision(t, text, task.Opt(more))
			b.put(search.Decision, t.ID, search.Text(text, more), "")
			b.logOnly(t.ID, task.DecisionRecorded)
		case 3:
			err = w.Record(b.slug, t.ID, task.Draft{Kind: task.OverrideForced, Payload: task.Payload{"passedOver": []string{text, more}}})
			b.log(t.ID, task.OverrideForced, text, more)
		}
		return err
	})
}

func (b *shelf) again() {
	if rapid.IntRange(0, 9).Draw(b.t, "delete") > 0 {
		return
	}
	b.write(func(w *store.Tx) error { return w.DeleteProject(b.slug) })
	b.project()
}

func (b *shelf) check() {
	text := b.text("query", 3)
	switch rapid.IntRange(0, 4).Draw(b.t, "form") {
	case 0:
		text = `"` + text + `"`
	case 1:
		text = strings.ToValidUTF8(text[:rapid.IntRange(1, len(text)).Draw(b.t, "cut")], "")
	case 2:
		if len(b.docs) > 0 { // something that exists
			words := strings.Fields(rapid.SampledFrom(b.docs).Draw(b.t, "document").text)
			if len(words) > 0 {
				at := rapid.IntRange(0, len(words)-1).Draw(b.t, "at")
				text = strings.Join(words[at:min(len(words), at+2)], " ")
			}
		}
	}
	q := search.Parse(text)
	project := rapid.SampledFrom([]string{"", b.slug}).Draw(b.t, "project")
	if len(q.Without(search.Words(string(task.ProjectDeleted), "")).Groups) == 0 { // the deletions of other rounds, which belong to no project
		project = b.slug
	}
	var want, got []string
	var counts search.KindCounts
	for _, d := range b.docs {
		if q.In(search.Words(cmp.Or(d.by, d.text), d.context)) {
			*counts.Of(d.kind)++
			title, _, _ := strings.Cut(d.text, "\x1e") // only the title of a task counts for the passage
			passage := q.Judge(search.Found{Kind: d.kind, Title: title, Text: d.text}, 0).Text
			want = append(want, fmt.Sprintf("%s %s: %s", d.kind, d.task, passage))
		}
	}
	err := b.s.Read(context.Background(), func(r *store.Tx) error {
		res, err := r.Search(search.Ask{Query: q, Project: project, Limit: 1000})
		if res.Counts != counts {
			b.t.Fatalf("%q counts %+v, want %+v", text, res.Counts, counts)
		}
		got = nil
		for _, f := range res.Found {
			got = append(got, fmt.Sprintf("%s %s: %s", f.Kind, f.Task, f.Text))
		}
		if findings, _, err := recount.Recount(r, b.slug); err != nil || len(findings) > 0 {
			b.t.Fatalf("a recount differs: %+v %v", findings, err)
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := gocmp.Diff(want, got); diff != "" {
		b.t.Fatalf("%q: %s", text, diff)
	}
}

func TestASearchFindsWhatLookingThroughEveryTextFinds(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		round := 0
		storetest.Check(t, path, func(rt *rapid.T) {
			b := &shelf{t: rt, s: s, n: 1000 * round}
			round++
			b.project()
			steps := rapid.IntRange(1, 30).Draw(rt, "steps")
			for range steps {
				rapid.SampledFrom([]func(){b.create, b.edit, b.edit, b.tick, b.annotate, b.annotate, b.annotate, b.again}).Draw(rt, "step")()
				b.check()
			}
			b.write(func(w *store.Tx) error { return w.DeleteProject(b.slug) })
		})
	})
}
