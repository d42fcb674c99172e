package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// library is a store with records to search.
type library struct {
	t *testing.T
	s *store.Store
}

func newLibrary(t *testing.T, path string, projects ...string) library {
	l := library{t, storetest.Open(t, path, nil)}
	for _, slug := range projects {
		l.write(storetest.Alice, func(w *store.Tx) error {
			return w.CreateProject(&task.Project{Slug: slug}, task.Draft{Kind: task.ProjectCreated, Payload: task.Payload{"slug": slug}})
		})
	}
	return l
}

func (l library) write(by task.By, fn func(*store.Tx) error) {
	l.t.Helper()
	storetest.Write(l.t, l.s, by, fn)
}

// add makes tasks, each given as its title and its body.
func (l library) add(project string, texts ...[2]string) []task.ID {
	l.t.Helper()
	list := make([]task.NewTask, len(texts))
	for i, text := range texts {
		t := storetest.Fresh("")
		t.Title, t.Body = text[0], task.Opt(text[1])
		list[i] = task.NewTask{Task: t, Event: task.Draft{Kind: task.TaskCreated}}
	}
	l.write(storetest.Alice, func(w *store.Tx) error {
		for i := range list {
			list[i].Task.Key = ""
			list[i].Task.CreatedAt, list[i].Task.UpdatedAt = w.Now(), w.Now()
		}
		return w.CreateTasks(project, list)
	})
	ids := make([]task.ID, len(list))
	for i := range list {
		ids[i] = list[i].Task.ID
	}
	return ids
}

func (l library) on(by task.By, id task.ID, fn func(w *store.Tx, t *task.Task) error) {
	l.t.Helper()
	l.write(by, func(w *store.Tx) error {
		t, err := w.Task(id)
		if err != nil {
			return err
		}
		if err := w.Fill(t); err != nil {
			return err
		}
		return fn(w, t)
	})
}

func (l library) note(id task.ID, text string) {
	l.t.Helper()
	l.on(storetest.Alice, id, func(w *store.Tx, t *task.Task) error { _, err := w.AddNote(t, text); return err })
}

func (l library) edit(id task.ID, change func(*task.Task)) {
	l.t.Helper()
	l.on(storetest.Alice, id, func(w *store.Tx, t *task.Task) error {
		after := *t
		change(&after)
		after.Version++
		return w.Save(task.Change{Before: t, After: &after, Whole: true, Events: []task.Draft{{Kind: task.TaskUpdated}}})
	})
}

// found returns what a search finds, without what differs between two databases: times, and the order of equal hits.
func (l library) found(query, project string, within ...string) (out []string, counts search.KindCounts) {
	l.t.Helper()
	q := search.Parse(query)
	storetest.Read(l.t, l.s, func(r *store.Tx) error {
		r.Within(within)
		res, err := r.Search(search.Ask{Query: q, Text: query, Project: project, Limit: 1000})
		if err != nil {
			return err
		}
		counts = res.Counts
		out = nil
		for _, h := range search.Rank(res.Found, 1000) {
			out = append(out, fmt.Sprintf("%06.3f %s %s %s: %s", h.Score, h.Kind, h.Project, h.Task, h.Text))
		}
		return nil
	})
	slices.SortFunc(out, func(a, b string) int { return cmp.Compare(b, a) })
	return out, counts
}

// finds checks the kinds and places of everything that is found.
func (l library) finds(query, project string, want ...string) {
	l.t.Helper()
	lines, counts := l.found(query, project)
	var got []string
	for _, line := range lines {
		where, _, _ := strings.Cut(line, ":")
		got = append(got, strings.TrimSpace(where[strings.IndexByte(where, ' ')+1:]))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := gocmp.Diff(want, got); diff != "" {
		l.t.Errorf("%q in %q finds: %s", query, project, diff)
	}
	if counts.Total() != len(lines) {
		l.t.Errorf("%q counts %+v and finds %d", query, counts, len(lines))
	}
}

func (l library) documents() (n int) {
	l.t.Helper()
	if err := l.s.DB().Read(l.t.Context(), db.Request{}, func(c db.Conn, _ db.Head) error {
		n = 0
		return c.Documents(0, func(int64) { n++ })
	}); err != nil {
		l.t.Fatal(err)
	}
	return n
}

func (l library) healthy(projects ...string) {
	l.t.Helper()
	for _, p := range projects {
		storetest.Read(l.t, l.s, func(r *store.Tx) error {
			found, _, err := recount.Recount(r, p)
			if len(found) > 0 {
				l.t.Errorf("a recount of %s differs: %+v", p, found)
			}
			return err
		})
	}
}

func TestEveryKindOfRecordIsFoundAndNamesItsTask(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		l := newLibrary(t, path, "demo")
		id := l.add("demo", [2]string{"Repair the gearbox", "It grinds in third"})[0]
		bob := task.By{Actor: task.Actor{Name: "bob", Instance: "7"}, Via: task.Via{Face: "cli"}}
		l.edit(id, func(t *task.Task) {
			t.Key = "box"
			t.Criteria = []task.Criterion{{Text: "no noise in any gear"}}
			t.Links = []task.Link{{Kind: "url", Ref: "https://example.com/manual", Note: "chapter nine"}}
			t.Touches = []string{"drive/**/*.cog"}
		})
		l.note(id, "The synchromesh is worn")
		l.on(bob, id, func(w *store.Tx, t *task.Task) error {
			if _, err := w.AddEvidence(t, []task.EvidenceItem{{Kind: "photo", Value: "s3://bucket/worn-ring.jpg", Note: "taken today"}}); err != nil {
				return err
			}
			_, err := w.AddDecision(t, "Replace, not repair", "the ring is cheaper than labour")
			return err
		})
		l.on(bob, id, func(w *store.Tx, t *task.Task) error {
			return w.Record(
				"demo",
				t.ID,
				task.Draft{Kind: task.OverrideForced, Payload: task.Payload{"to": task.Done, "passedOver": []string{"criterion 1: no noise"}}},
			)
		})
		for query, want := range map[string][]string{
			"gearbox":         {"title demo demo-1"},
			"box":             {"title demo demo-1"},
			"third":           {"body demo demo-1"},
			"any gear":        {"body demo demo-1"},
			"com/manual":      {"body demo demo-1"},
			"drive":           {"body demo demo-1"},
			"gearbox third":   {"body demo demo-1"}, // a word may be in the title
			"synchromesh":     {"note demo demo-1"},
			"worn-ring.jpg":   {"evidence demo demo-1"},
			"photo":           {"evidence demo demo-1"},
			"replace":         {"decision demo demo-1"},
			"cheaper":         {"decision demo demo-1"},
			"bob":             {"actor demo demo-1", "log demo demo-1"},
			"bob/7":           {"log demo demo-1"},
			"override.forced": {"log demo demo-1"},
			"demo-1":          {"title demo demo-1"},
			"noise":           {"body demo demo-1", "log demo demo-1"},
			"nobody":          nil,
		} {
			l.finds(query, "demo", want...)
		}
		l.healthy("demo")
	})
}

func TestWhatIsFoundFollowsEveryChange(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		l := newLibrary(t, path, "demo", "other")
		ids := l.add("demo", [2]string{"Alpha", "first body"}, [2]string{"Beta", ""})
		l.add("other", [2]string{"Alpha", "elsewhere"})
		for round := range 3 { // new records are kept apart at first, and go into the index together
			l.edit(ids[0], func(t *task.Task) { t.Title = fmt.Sprintf("Gamma %d", round) })
			l.finds("alpha", "", "title other other-1")
			l.finds("gamma", "demo", "title demo demo-1")
			l.finds(fmt.Sprintf("gamma %d body", round), "demo", "body demo demo-1")
			l.edit(ids[1], func(t *task.Task) { t.Body = "now something" })
			l.finds("something", "demo", "body demo demo-2")
			l.edit(ids[1], func(t *task.Task) { t.Body = "" })
			l.finds("something", "demo")
			for i := range 90 {
				l.note(ids[1], fmt.Sprintf("note %d of round %d", i, round))
			}
			l.healthy("demo", "other")
		}
		if _, counts := l.found("note", ""); counts.Note != 270 {
			t.Errorf("%+v", counts)
		}
		if _, counts := l.found(`"round 1"`, ""); counts.Note != 90 {
			t.Errorf("%+v", counts)
		}
		l.write(storetest.Alice, func(w *store.Tx) error { return w.RenameProject("demo", "renamed") })
		l.finds("gamma", "renamed", "title renamed renamed-1")
		l.write(storetest.Alice, func(w *store.Tx) error { return w.DeleteProject("renamed") })
		l.finds("gamma", "")
		if _, counts := l.found("note", ""); counts.Total() != 0 {
			t.Errorf("of a deleted project there is %+v", counts)
		}
		l.write(storetest.Alice, func(w *store.Tx) error { return w.CreateProject(&task.Project{Slug: "again"}) })
		l.finds("gamma", "again")
		l.finds("alpha", "", "title other other-1")
		l.healthy("other", "again")
	})
}

func TestAClaimWritesNothingToTheIndex(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		l := newLibrary(t, path, "demo")
		id := l.add("demo", [2]string{"Alpha", ""})[0]
		before := l.documents()
		stranger := task.By{Actor: task.Actor{Name: "stranger", Instance: "1"}}
		lease := int64(0)
		for _, kind := range []task.Kind{task.TaskClaimed, task.ClaimRenewed} {
			l.on(stranger, id, func(w *store.Tx, t *task.Task) error {
				var fence *int64
				if t.Claim != nil {
					fence = &t.Claim.Fence
				}
				after, _, err := t.ClaimBy(stranger.Actor, task.Policy{}, fence, &lease, w.Now())
				if err != nil {
					return err
				}
				return w.Save(task.Change{Before: t, After: after, Events: []task.Draft{{Kind: kind, Payload: task.Payload{"actor": "stranger/1"}}}})
			})
		}
		if after := l.documents(); after != before {
			t.Errorf("%d documents became %d", before, after)
		}
		l.finds("stranger", "demo")
		l.healthy("demo")
	})
}

func TestAMemberThatIsTakenBackLeavesNothingToFind(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		l := newLibrary(t, path, "demo")
		id := l.add("demo", [2]string{"Alpha", ""})[0]
		bob := task.By{Actor: task.Actor{Name: "bob"}}
		err := l.s.Write(t.Context(), bob, func(w *store.Tx) error {
			tt, err := w.Task(id)
			if err != nil {
				return err
			}
			if _, err := w.AddNote(tt, "regretted"); err != nil {
				return err
			}
			return fmt.Errorf("on second thoughts")
		})
		if err == nil {
			t.Fatal("a write that failed was stored")
		}
		l.finds("regretted", "demo")
		l.finds("bob", "demo")
		l.on(bob, id, func(w *store.Tx, t *task.Task) error { _, err := w.AddNote(t, "meant"); return err })
		l.finds("bob", "demo", "actor demo demo-1")
		l.healthy("demo")
	})
}

func TestASearchKeepsToTheProjectsThatAReaderSees(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		l := newLibrary(t, path, "one", "two", "three")
		for _, p := range []string{"one", "two", "three"} {
			l.add(p, [2]string{"Shared word", ""})
		}
		if _, counts := l.found("shared", "", "one", "three", "none"); counts.Title != 2 {
			t.Errorf("%+v", counts)
		}
		if lines, counts := l.found("two-1", "", "one"); counts.Title != 0 || len(lines) != 0 {
			t.Errorf("%+v %v", counts, lines)
		}
		if _, counts := l.found("shared", ""); counts.Title != 3 {
			t.Errorf("%+v", counts)
		}
	})
}

func TestCountsAreExactWhereOnlyTheNewestAreRanked(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		l := newLibrary(t, path, "demo", "other")
		texts := make([][2]string, 300)
		for i := range texts {
			texts[i] = [2]string{fmt.Sprintf("Common %d", i), "common too"}
		}
		l.add("demo", texts...)
		l.add("other", texts[:100]...)
		q := search.Parse("common")
		storetest.Read(t, l.s, func(r *store.Tx) error {
			res, err := r.Search(search.Ask{Query: q, Kind: search.Title, Limit: 5})
			if err != nil {
				return err
			}
			if res.Counts.Title != 400 || res.Counts.Body != 400 || len(res.Found) != search.Candidates(5) {
				t.Errorf("%+v, %d candidates", res.Counts, len(res.Found))
			}
			of := map[string]int{}
			for _, f := range res.Found {
				of[f.Project]++
				if f.Kind != search.Title {
					t.Errorf("a candidate of kind %s", f.Kind)
				}
			}
			if of["demo"] != of["other"] {
				t.Errorf("candidates: %v", of)
			}
			return nil
		})
	})
}

// vocabulary has the words of the tests' texts and queries.
var vocabulary = strings.Fields(`the a of and to parser lexer token error crash timeout retry login page cache index store walk graph café Zürich naïve
	façade résumé straße łódź прoверка ёлка проект сервер 修复 登录 错误 日本語 テスト 한국어 שלום مرحبا हिन्दी ไทย ✅ 🎉 👩‍💻 internal/store/walk.go
	internal/store/walk_test.go
	cmd/tasker/main.go v1.2.3 v1.2.4 1.2 10.0.0.1 192.168.1.10:8080 someone@example.com https://example.com/a/b?c=d#e PROJ-123 PROJ-124
	demo-4 #42 C++ foo_bar fooBar
	don't can’t "quoted" (paren) [bracket] a:b NEAR AND OR NOT * ^ -x +y \ ' '' -- ; DROP TABLE words`)

func sentence(r *rand.Rand, limit int) string {
	n := 1 + r.IntN(limit)
	parts := make([]string, n)
	for i := range parts {
		parts[i] = vocabulary[r.IntN(len(vocabulary))]
	}
	return strings.Join(parts, []string{" ", " ", " ", "\n", ", ", "\t"}[r.IntN(6)])
}

func question(r *rand.Rand) string {
	s := sentence(r, 3)
	switch r.IntN(6) {
	case 0:
		s = `"` + s + `"`
	case 1:
		s += ` "` + sentence(r, 3)
	case 2:
		if cut := r.IntN(len(s)) + 1; cut < len(s) {
			s = strings.ToValidUTF8(s[:cut], "")
		}
	case 3:
		s = strings.ToUpper(s)
	}
	return s
}

// The texts, and the queries that both databases are asked, come from a random source with a fixed seed.
func TestFiveHundredQueriesAreAnsweredAlikeOnBothDatabases(t *testing.T) {
	t.Parallel()
	fill := func(path string) library {
		r := rand.New(rand.NewPCG(4, 2))
		l := newLibrary(t, path, "demo", "other")
		for _, p := range []string{"demo", "other"} {
			texts := make([][2]string, 150)
			for i := range texts {
				texts[i] = [2]string{sentence(r, 6), sentence(r, 30)}
			}
			ids := l.add(p, texts...)
			for i := range 100 {
				id := ids[r.IntN(len(ids))]
				text, why := sentence(r, 12), sentence(r, 4)
				switch i % 4 {
				case 0:
					l.note(id, text)
				case 1:
					l.on(storetest.Alice, id, func(w *store.Tx, t *task.Task) error {
						_, err := w.AddEvidence(t, []task.EvidenceItem{{Kind: "test", Value: text, Note: task.Opt(why)}})
						return err
					})
				case 2:
					l.on(storetest.Alice, id, func(w *store.Tx, t *task.Task) error { _, err := w.AddDecision(t, text, task.Opt(why)); return err })
				case 3:
					l.edit(id, func(t *task.Task) { t.Title, t.Body = why, task.Opt(text) })
				}
			}
		}
		return l
	}
	lite, pg := fill(dbtest.SQLite(t)), fill(dbtest.Postgres(t))
	r := rand.New(rand.NewPCG(5, 0))
	some := 0
	for range 500 {
		query, project := question(r), []string{"", "demo", "other"}[r.IntN(3)]
		a, counts := lite.found(query, project)
		b, others := pg.found(query, project)
		if diff := gocmp.Diff(a, b); diff != "" || counts != others {
			t.Errorf("%q in %q: %+v on SQLite, %+v on PostgreSQL: %s", query, project, counts, others, diff)
		}
		some += min(counts.Total(), 1)
	}
	if some < 250 {
		t.Errorf("only %d of the queries find anything", some)
	}
	lite.healthy("demo", "other")
	pg.healthy("demo", "other")
}

func TestNoQueryIsAnError(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, path string) {
		l := newLibrary(t, path, "demo")
		l.add("demo", [2]string{"Alpha", "body"})
		for _, q := range []string{
			`"`, `""`, `"""`, `'`, `''`, `\`, `\\'`, `a' OR 1=1 --`, `AND`, `NOT`, `NEAR(a b)`, `a*`, `*`, `^a`, `{a b}:c`, `title:alpha`, `-`, `+`,
			`a & b | !c`, `a <-> b`,
			`a:*`, `:*`, `(`, `)`, `((((`, `$1`, `?1`, `%`, `_`, `__1`, "_alpha", strings.Repeat("(", 5000), strings.Repeat("word ", 5000), strings.Repeat("x", 5000),
			strings.Repeat("“", 300), "🎉", "👩‍💻", "\u202eabc", "שלום", "\ufeff", "\u200b", "\U0010ffff", "a\x1eb", "\n\r\t a",
		} {
			if _, counts := l.found(q, ""); counts.Total() > 3 { // the prefix of alpha, and of alice twice
				t.Errorf("%.40q finds %+v", q, counts)
			}
		}
		l.finds("alpha", "", "title demo demo-1")
	})
}
