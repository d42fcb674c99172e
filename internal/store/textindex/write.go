package textindex

import (
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// State is what the members of one turn share. Its zero value begins a turn.
type State struct {
	changed bool            // some words were written
	acted   map[acting]bool // actors that this turn has introduced
}

// Settle is called before the commit.
func (s *State) Settle(t *db.Turn) error {
	if !s.changed {
		return nil
	}
	return t.SettleWords()
}

// Writer writes the documents of one member of a turn.
type Writer struct {
	turn   *db.Turn
	began  int64 // the newest event before the turn
	state  *State
	actors *Actors
}

// NewWriter returns a member's writer; began is the newest event before its turn.
func NewWriter(t *db.Turn, began int64, state *State, actors *Actors) Writer {
	return Writer{t, began, state, actors}
}

// Record is a new annotation of a task. Its id is that of its event.
type Record struct {
	Kind  search.Kind
	Task  int64 // its key
	ID    int64
	Texts []string
}

func (r Record) doc() db.Doc {
	return db.Doc{ID: doc(rows.ProjectOf(r.Task), r.Kind, r.ID), Words: search.Words(search.Text(r.Texts...), "")}
}

// Add indexes a new record. A failed write ends the member: see db.Exec.
func (w Writer) Add(r Record) { w.add(r.doc()) }

// add indexes new documents, except those without a word.
func (w Writer) add(docs ...db.Doc) {
	docs = slices.DeleteFunc(docs, func(d db.Doc) bool { return d.Words == "" })
	if len(docs) > 0 {
		w.state.changed = true
		_ = w.turn.AddWords(docs)
	}
}

// put replaces a document in the index; one without words is removed.
func (w Writer) put(d db.Doc) {
	w.state.changed = true
	_ = w.turn.PutWords(d)
}

// Remove removes a deleted record from the index.
func (w Writer) Remove(r Record) { w.put(db.Doc{ID: doc(rows.ProjectOf(r.Task), r.Kind, r.ID)}) }

// RemoveTask removes a deleted task from the index.
func (w Writer) RemoveTask(ref int64) {
	w.Remove(Record{Kind: search.Title, Task: ref, ID: rows.Number(ref)})
	w.Remove(Record{Kind: search.Body, Task: ref, ID: rows.Number(ref)})
}

// AddTasks indexes new tasks, and the records that come with them.
func (w Writer) AddTasks(tasks []task.NewTask, keys []int64, beside []Record) {
	docs := make([]db.Doc, 0, 2*len(tasks)+len(beside))
	for i := range tasks {
		t := tasks[i].Task
		docs = append(docs, titleDoc(keys[i], t.Title, t.Key), bodyDoc(keys[i], t.Title, string(t.Body), t))
	}
	for _, r := range beside {
		docs = append(docs, r.doc())
	}
	w.add(docs...)
}

// Update indexes a changed task again if its indexed texts have changed. whole says that its body was loaded.
func (w Writer) Update(ref int64, before, after *task.Task, whole bool) error {
	title := before.Title != after.Title
	if title || before.Key != after.Key {
		w.put(titleDoc(ref, after.Title, after.Key))
	}
	if !title && (!whole || before.Body == after.Body) && sameDetails(before, after) {
		return nil
	}
	body := string(after.Body)
	if !whole {
		var err error
		if body, err = db.Value[string](w.turn, `SELECT body FROM task_body WHERE task=$1`, ref); err != nil {
			return err
		}
	}
	w.put(bodyDoc(ref, after.Title, body, after))
	return nil
}

func sameDetails(a, b *task.Task) bool {
	return slices.EqualFunc(a.Criteria, b.Criteria, func(x, y task.Criterion) bool { return x.Text == y.Text }) &&
		slices.Equal(a.Links, b.Links) && slices.Equal(a.Touches, b.Touches)
}

func titleDoc(ref int64, title, key string) db.Doc {
	return db.Doc{ID: doc(rows.ProjectOf(ref), search.Title, rows.Number(ref)), Words: search.Words(search.Text(title, key), "")}
}

// bodyDoc returns the document of a task's body; the title is its context.
func bodyDoc(ref int64, title, body string, t *task.Task) db.Doc {
	return db.Doc{ID: doc(rows.ProjectOf(ref), search.Body, rows.Number(ref)), Words: search.Words(bodyText(body, t), title)}
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

// AddEvent indexes an event, and its actor.
func (w Writer) AddEvent(project, id int64, actor string, kind task.Kind, payload string) error {
	if project == 0 || !logged(kind) {
		return nil
	}
	text, err := logText(actor, string(kind), payload)
	if err != nil {
		return err
	}
	w.add(db.Doc{ID: doc(project, search.Log, id), Words: search.Words(text, "")})
	return nil
}

// RemoveEvent removes a deleted event from the index.
func (w Writer) RemoveEvent(project, id int64, kind task.Kind) {
	if project != 0 && logged(kind) {
		w.put(db.Doc{ID: doc(project, search.Log, id)})
	}
}

// unlogged are the events that are not indexed: those whose records are indexed under a kind of their own, and claims,
// renewals, lapses and ticks, which have no text and are very many.
var unlogged = []task.Kind{
	task.TaskCreated, task.NoteAdded, task.EvidenceAdded, task.DecisionRecorded, task.BindingAdded, task.BindingRemoved,
	task.TaskClaimed, task.ClaimRenewed, task.ClaimExpired, task.CriterionChecked, task.CriterionUnchecked,
}

func logged(kind task.Kind) bool { return !slices.Contains(unlogged, kind) }

// logText returns the text of an event: its kind, its actor, and the texts of its payload. For changed fields, those
// are the field names, a task's title before the change, and a project's texts after it.
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

// Introduce adds an actor's name to the index the first time it writes to a project; event is the event of that write,
// and since is when the project was created.
func (w Writer) Introduce(project int64, since task.Time, name string, event int64) error {
	if name == "" {
		return nil
	}
	key := acting{project, since, name}
	if w.state.acted[key] || w.actors.has(key) {
		return nil
	}
	known, err := db.Value[int64](w.turn, `SELECT id FROM actor WHERE project=$1 AND name=$2`, project, name)
	if err != nil {
		return err
	}
	if known != 0 {
		if known <= w.began { // committed before this turn, so no rollback removes it
			w.actors.add(key)
		}
		return nil
	}
	if w.state.acted == nil {
		w.state.acted = map[acting]bool{}
	}
	w.state.acted[key] = true
	w.turn.Undo(func() { delete(w.state.acted, key) })
	db.Exec(w.turn, 1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, event, project, name, w.turn.Now)
	w.add(db.Doc{ID: doc(project, search.Actor, event), Words: search.Words(name, "")})
	return nil
}

// acting is an actor in a project; since distinguishes the project from an earlier one with the same id.
type acting struct {
	project int64
	since   task.Time
	name    string
}

// Actors caches which actors are in the index, for all turns of a process. It saves a statement for every write that is
// not a claim ("transitions" of make bench).
type Actors struct {
	mu    sync.Mutex
	known map[acting]bool
}

// maxActors limits the cache.
const maxActors = 4096

func (a *Actors) has(key acting) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known[key]
}

// Forget empties the cache.
func (a *Actors) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = nil
}

func (a *Actors) add(key acting) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil || len(a.known) >= maxActors {
		a.known = map[acting]bool{}
	}
	a.known[key] = true
}

// introduce adds every actor that has written to a project to the index, from its events.
func introduce(c db.Conn, project int64) error {
	found, err := introduced(c, project)
	for _, a := range found {
		db.Exec(c, 1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, a.id, project, a.name, int64(a.at))
	}
	return err
}

// firstAct is an actor's first event in a project.
type firstAct struct {
	id   int64
	name string
	at   task.Time
}

// introduced returns the first event, other than a claim, of every actor that has written to a project.
func introduced(c db.Conn, project int64) ([]firstAct, error) {
	all, err := db.All(c, `SELECT MIN(id), actor, MIN(at) FROM event WHERE project=$1 AND kind NOT IN ('task.claimed','claim.renewed','claim.expired')
		GROUP BY actor ORDER BY MIN(id)`, []any{project}, db.Read3(func(event int64, actor string, moment int64) firstAct {
		name, _, _ := strings.Cut(actor, "/")
		return firstAct{event, name, task.Time(moment)}
	}))
	known := map[string]bool{}
	return slices.DeleteFunc(all, func(a firstAct) bool {
		again := known[a.name]
		known[a.name] = true
		return again
	}), err
}

// A document's id says which record it is made from: the project's id, the kind, and then the task's number, or the id
// of the event that created the record.
const docKind = 40 // bits below the kind

// kinds are the kinds by their number in ids. The numbers are stored, so the order never changes.
var kinds = [8]search.Kind{search.Title, search.Body, search.Note, search.Decision, search.Evidence, search.Binding, search.Actor, search.Log}

func doc(project int64, kind search.Kind, record int64) int64 {
	for i, k := range kinds {
		if k == kind {
			return project<<db.DocProjectBits | int64(i)<<docKind | record
		}
	}
	panic("there is no kind of document " + string(kind))
}

// parts splits a document's id.
func parts(doc int64) (project int64, kind search.Kind, record int64) {
	return doc >> db.DocProjectBits, kinds[doc>>docKind&7], doc & (1<<docKind - 1)
}
