package store

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// The text index has the words of records. A search finds documents: the title of a task, its body, a note, a decision, a
// piece of evidence, a binding, an actor's name, or the text of an event that is found under no other kind. Package search
// splits a text into words and decides what matches; the engines store and find the words (db.Words). A document's id says
// which record it is made from, so that an answer is read from the records themselves.
//
// The records write their words in the same turn in which they change. Claims, renewals and ticks write nothing.

// Indexed is a new annotation of a task. Its id is that of its event.
type Indexed struct {
	Kind  search.Kind
	Task  int64 // its key
	ID    int64
	Texts []string
}

func (r Indexed) doc() db.Doc {
	return db.Doc{ID: docID(rows.ProjectOf(r.Task), r.Kind, r.ID), Words: search.Words(search.Text(r.Texts...), "")}
}

// IndexText indexes a new record. A failed write ends the member: see db.Exec.
func (tx *Tx) IndexText(r Indexed) { tx.addDocs(r.doc()) }

// addDocs indexes new documents, except those without a word.
func (tx *Tx) addDocs(docs ...db.Doc) {
	docs = slices.DeleteFunc(docs, func(d db.Doc) bool { return d.Words == "" })
	if len(docs) > 0 {
		tx.state.indexed = true
		_ = tx.C.AddWords(docs)
	}
}

// putDoc replaces a document in the index; one without words is removed.
func (tx *Tx) putDoc(d db.Doc) {
	tx.state.indexed = true
	_ = tx.C.PutWords(d)
}

// UnindexText removes a deleted record from the index.
func (tx *Tx) UnindexText(r Indexed) {
	tx.putDoc(db.Doc{ID: docID(rows.ProjectOf(r.Task), r.Kind, r.ID)})
}

// indexTasks indexes new tasks, and the records that come with them.
func (tx *Tx) indexTasks(tasks []task.NewTask, keys []int64, records []Indexed) {
	docs := make([]db.Doc, 0, 2*len(tasks)+len(records))
	for i := range tasks {
		t := tasks[i].Task
		docs = append(docs, titleDoc(keys[i], t.Title, t.Key), bodyDoc(keys[i], t.Title, string(t.Body), t))
	}
	for _, r := range records {
		docs = append(docs, r.doc())
	}
	tx.addDocs(docs...)
}

// reindex indexes a changed task again if its indexed texts have changed. whole says that its body was loaded.
func (tx *Tx) reindex(ref int64, before, after *task.Task, whole bool) error {
	title := before.Title != after.Title
	if title || before.Key != after.Key {
		tx.putDoc(titleDoc(ref, after.Title, after.Key))
	}
	if !title && (!whole || before.Body == after.Body) && sameDetails(before, after) {
		return nil
	}
	body := string(after.Body)
	if !whole {
		var err error
		if body, err = db.Value[string](tx.C, `SELECT body FROM task_body WHERE task=$1`, ref); err != nil {
			return err
		}
	}
	tx.putDoc(bodyDoc(ref, after.Title, body, after))
	return nil
}

func sameDetails(a, b *task.Task) bool {
	return slices.EqualFunc(a.Criteria, b.Criteria, func(x, y task.Criterion) bool { return x.Text == y.Text }) &&
		slices.Equal(a.Links, b.Links) && slices.Equal(a.Touches, b.Touches)
}

func titleDoc(ref int64, title, key string) db.Doc {
	return db.Doc{ID: docID(rows.ProjectOf(ref), search.Title, rows.Number(ref)), Words: search.Words(search.Text(title, key), "")}
}

// bodyDoc returns the document of a task's body; the title is its context.
func bodyDoc(ref int64, title, body string, t *task.Task) db.Doc {
	return db.Doc{ID: docID(rows.ProjectOf(ref), search.Body, rows.Number(ref)), Words: search.Words(bodyText(body, t), title)}
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

// indexEvent indexes an event, and its actor.
func (tx *Tx) indexEvent(project, id int64, actor string, kind task.Kind, payload string) error {
	if project == 0 || !logged(kind) {
		return nil
	}
	text, err := logText(actor, string(kind), payload)
	if err != nil {
		return err
	}
	tx.addDocs(db.Doc{ID: docID(project, search.Log, id), Words: search.Words(text, "")})
	return nil
}

// unindexEvent removes a deleted event from the index.
func (tx *Tx) unindexEvent(project, id int64, kind task.Kind) {
	if project != 0 && logged(kind) {
		tx.putDoc(db.Doc{ID: docID(project, search.Log, id)})
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
			parts = append(parts, changedText(task.Kind(kind), name, v)...)
		}
	}
	return search.Text(parts...), nil
}

func changedText(kind task.Kind, field string, delta map[string]any) []string {
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

// introduce adds the name of the member's actor to the index the first time it writes to a project; event is the event of
// that write.
func (tx *Tx) introduce(p *Project, event int64) error {
	name := tx.By.Actor.Name
	if name == "" {
		return nil
	}
	key := acting{p.ID, p.Rec.CreatedAt, name}
	if tx.state.acted[key] || tx.process.actors[key] {
		return nil
	}
	known, err := db.Value[int64](tx.C, `SELECT id FROM actor WHERE project=$1 AND name=$2`, p.ID, name)
	if err != nil {
		return err
	}
	if known != 0 {
		if known <= tx.state.began { // committed before this turn, so no rollback removes it
			tx.process.actors.add(key)
		}
		return nil
	}
	if tx.state.acted == nil {
		tx.state.acted = map[acting]bool{}
	}
	tx.state.acted[key] = true
	tx.Turn.Undo(func() { delete(tx.state.acted, key) })
	tx.Exec(1, `INSERT INTO actor (id, project, name, at) VALUES ($1,$2,$3,$4)`, event, p.ID, name, tx.Head.Now)
	tx.addDocs(db.Doc{ID: docID(p.ID, search.Actor, event), Words: search.Words(name, "")})
	return nil
}

// acting is an actor in a project; since distinguishes the project from an earlier one with the same id.
type acting struct {
	project int64
	since   task.Time
	name    string
}

// knownActors caches which actors are in the index, for all turns of a process. It saves a statement for every write that is
// not a claim ("transitions" of make bench). Turns run one at a time, so it needs no lock.
type knownActors map[acting]bool

// maxActors limits the cache.
const maxActors = 4096

func (a *knownActors) add(key acting) {
	if *a == nil || len(*a) >= maxActors {
		*a = knownActors{}
	}
	(*a)[key] = true
}

// introduceAll adds every actor that has written to a project to the index, from its events.
func introduceAll(c db.Conn, project int64) error {
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

// docKinds are the kinds by their number in ids. The numbers are stored, so the order never changes.
var docKinds = [8]search.Kind{search.Title, search.Body, search.Note, search.Decision, search.Evidence, search.Binding, search.Actor, search.Log}

func docID(project int64, kind search.Kind, record int64) int64 {
	for i, k := range docKinds {
		if k == kind {
			return project<<db.DocProjectBits | int64(i)<<docKind | record
		}
	}
	panic("there is no kind of document " + string(kind))
}

// docParts splits a document's id.
func docParts(doc int64) (project int64, kind search.Kind, record int64) {
	return doc >> db.DocProjectBits, docKinds[doc>>docKind&7], doc & (1<<docKind - 1)
}
