package store

import (
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/task"
)

// The index is written by the same calls that change a record. Claims, renewals and ticks write nothing to it.

// index keeps a new record beside a task findable: id is that of the event that tells of it.
func (w *Writer) index(kind search.Kind, ref, id int64, parts ...string) error {
	return w.indexDocs(db.Doc{ID: doc(ref>>shift, kind, id), Words: search.Words(search.Text(parts...), "")})
}

// indexDocs keeps new documents; those without a word are left out.
func (w *Writer) indexDocs(docs ...db.Doc) error {
	docs = slices.DeleteFunc(docs, func(d db.Doc) bool { return d.Words == "" })
	if len(docs) == 0 {
		return nil
	}
	w.state.indexed = true
	return w.c.AddWords(docs)
}

// indexTasks keeps new tasks findable, with the rows of their evidence.
func (w *Writer) indexTasks(tasks []task.NewTask, refs []int64, evidence [][]any) error {
	docs := make([]db.Doc, 0, 2*len(tasks)+len(evidence))
	for i := range tasks {
		t := tasks[i].Task
		docs = append(docs, titleDoc(refs[i], t.Title, t.Key), bodyDoc(refs[i], t.Title, string(t.Body), t))
	}
	for _, row := range evidence {
		id, ref := row[0].(int64), row[1].(int64)
		text := search.Text(row[3].(string), row[4].(string), row[5].(string))
		docs = append(docs, db.Doc{ID: doc(ref>>shift, search.Evidence, id), Words: search.Words(text, "")})
	}
	return w.indexDocs(docs...)
}

// indexAgain keeps a changed task findable, where what is found by has changed.
func (w *Writer) indexAgain(ref int64, before, after *task.Task, whole bool) error {
	title := before.Title != after.Title
	if title || before.Key != after.Key {
		w.state.indexed = true
		if err := w.c.PutWords(titleDoc(ref, after.Title, after.Key)); err != nil {
			return err
		}
	}
	if !title && (!whole || before.Body == after.Body) && sameDetails(before, after) {
		return nil
	}
	body := string(after.Body)
	if !whole {
		if err := w.c.Query(`SELECT body FROM task_body WHERE task=$1`, []any{ref}, func(row db.Row) error { body = row.Text(0); return nil }); err != nil {
			return err
		}
	}
	w.state.indexed = true
	return w.c.PutWords(bodyDoc(ref, after.Title, body, after))
}

func sameDetails(a, b *task.Task) bool {
	return slices.EqualFunc(a.Criteria, b.Criteria, func(x, y task.Criterion) bool { return x.Text == y.Text }) &&
		slices.Equal(a.Links, b.Links) && slices.Equal(a.Touches, b.Touches)
}

func titleDoc(ref int64, title, key string) db.Doc {
	return db.Doc{ID: doc(ref>>shift, search.Title, number(ref)), Words: search.Words(search.Text(title, key), "")}
}

// bodyDoc is what a task says beyond its title, which is its context.
func bodyDoc(ref int64, title, body string, t *task.Task) db.Doc {
	return db.Doc{ID: doc(ref>>shift, search.Body, number(ref)), Words: search.Words(bodyText(body, t), title)}
}

func bodyText(body string, t *task.Task) string {
	parts := make([]string, 0, 1+len(t.Criteria)+2*len(t.Links)+len(t.Touches))
	parts = append(parts, body)
	for _, c := range t.Criteria {
		parts = append(parts, c.Text)
	}
	for _, l := range t.Links {
		parts = append(parts, l.Ref, string(l.Note))
	}
	return search.Text(append(parts, t.Touches...)...)
}

// indexEvent keeps what an event tells findable in the log, and who it was.
func (w *Writer) indexEvent(project int64, id int64, actor string, kind task.Kind, payload string) error {
	if project == 0 || !logged(kind) {
		return nil
	}
	text, err := logText(actor, string(kind), payload)
	if err != nil {
		return err
	}
	return w.indexDocs(db.Doc{ID: doc(project, search.Log, id), Words: search.Words(text, "")})
}

// unlogged are the events that the log is not searched for: those of records that are found under a kind of their
// own, and the claims, renewals, lapses and ticks, which say nothing and come by the million.
var unlogged = []task.Kind{
	task.TaskCreated, task.NoteAdded, task.EvidenceAdded, task.DecisionRecorded, "binding.added", "binding.removed",
	task.TaskClaimed, task.ClaimRenewed, task.ClaimExpired, task.CriterionChecked, task.CriterionUnchecked,
}

func logged(kind task.Kind) bool { return !slices.Contains(unlogged, kind) }

// logText is what an event is found by: its kind, who it was, and the texts of its payload. Of changed fields it is
// their names, what a task's title was before, and what a project's texts are since.
func logText(actor, kind, payload string) (string, error) {
	parts := []string{kind, actor}
	var fields map[string]any
	if err := json.Unmarshal([]byte(payload), &fields); err != nil {
		return "", err
	}
	for _, name := range sortedKeys(fields) {
		switch v := fields[name].(type) {
		case string:
			parts = append(parts, v)
		case []any:
			for _, item := range v {
				if s, ok := item.(string); ok {
					parts = append(parts, s)
				}
			}
		case map[string]any:
			parts = append(parts, changed(task.Kind(kind), name, v)...)
		}
	}
	return search.Text(parts...), nil
}

func changed(kind task.Kind, field string, delta map[string]any) []string {
	side := "to"
	switch {
	case kind == task.TaskUpdated && field == "title":
		side = "from"
	case kind == task.TaskUpdated:
		return []string{field}
	case kind != task.ProjectUpdated:
		return nil
	}
	text, _ := delta[side].(string)
	return []string{field, text}
}

// acted keeps the actor's name findable in a project, the first time that it writes there; event tells of that.
func (w *Writer) acted(p *project, event int64) error {
	name := w.by.Actor.Name
	if name == "" {
		return nil
	}
	key := acting{p.id, p.rec.CreatedAt, name}
	if w.state.acted[key] || w.actors.has(key) {
		return nil
	}
	known := int64(0)
	if err := w.c.Query(`SELECT id FROM actor WHERE project=$1 AND name=$2`, []any{p.id, name}, func(row db.Row) error { known = row.Int(0); return nil }); err != nil {
		return err
	}
	if known != 0 {
		if known <= w.state.began { // it was committed before this turn, and stays
			w.actors.add(key)
		}
		return nil
	}
	w.state.acted[key] = true
	w.turn.Undo(func() { delete(w.state.acted, key) })
	if err := w.c.Exec(1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, event, p.id, name, int64(w.Now())); err != nil {
		return err
	}
	return w.indexDocs(db.Doc{ID: doc(p.id, search.Actor, event), Words: search.Words(name, "")})
}

// acting is an actor in a project; since tells the project from an earlier one with its id.
type acting struct {
	project int64
	since   task.Time
	name    string
}

// actors are those that are known to be in the database, so that nobody asks it again.
type actors struct {
	mu    sync.Mutex
	known map[acting]bool
}

// maxActors bounds what is remembered.
const maxActors = 4096

func (a *actors) has(key acting) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[key]
}

func (a *actors) add(key acting) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || len(a.known) >= maxActors {
		a.known = map[acting]bool{}
	}
	a.known[key] = true
}
