package textindex

import (
	"slices"

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
