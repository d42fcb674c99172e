package store

import (
	"cmp"
	"errors"
	"slices"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// searchIndex counts the documents of every kind that a query finds, and loads the candidates for the hits: the newest of
// each requested kind, from each project in turn.
func (tx *Tx) searchIndex(a search.Ask) (search.Result, error) {
	var out search.Result
	projects, slugs, err := tx.searched(a.Project)
	if err != nil {
		return out, err
	}
	f := &finding{tx: tx, limit: search.Candidates(a.Limit), newest: map[int64]*newest{}, slugs: slugs}
	for _, p := range projects {
		if err := tx.C.FindWords(a.Query, p, f.add); err != nil {
			return out, err
		}
	}
	if f.slugs == nil {
		if f.slugs, err = tx.SlugsByID(); err != nil {
			return out, err
		}
	}
	if err := f.byKind(a.Query, projects); err != nil {
		return out, err
	}
	out.Counts, out.More = f.counts, f.more
	for _, kind := range docKinds {
		if a.Kind != "" && a.Kind != kind {
			continue
		}
		found, err := f.load(a.Query, kind)
		if err != nil {
			return out, err
		}
		out.Found = append(out.Found, found...)
	}
	return out, nil
}

// searched returns the projects to search (0 for all of them) and the slugs that are already known.
func (tx *Tx) searched(slug string) (ids []int64, slugs map[int64]string, err error) {
	if slug != "" {
		id, err := tx.projectKey(slug)
		return []int64{id}, map[int64]string{id: slug}, err
	}
	ids, all, err := tx.visible()
	if all {
		ids = []int64{0}
	}
	return ids, nil, err
}

// addNamed adds the task whose id is the query to the result, unless it is already there.
func addNamed(a search.Ask, t *task.Task, key int64, now task.Time, out *search.Result) {
	if !a.Query.In(search.Words(search.Text(t.Title, t.Key), "")) {
		out.Counts.Title++
	}
	if a.Kind != "" && a.Kind != search.Title {
		return
	}
	out.Found = slices.DeleteFunc(out.Found, func(f search.Found) bool { return f.Kind == search.Title && f.Task == task.Opt(t.ID) })
	out.Found = append(out.Found, a.Query.Judge(search.Found{
		Kind: search.Title, Doc: docID(rows.ProjectOf(key), search.Title, rows.Number(key)), Task: task.Opt(t.ID), Project: t.Project,
		Title: t.Title, Text: search.Text(string(t.ID), t.Title), At: t.UpdatedAt, Named: true,
	}, now))
}

// finding collects the documents that were found; the newest of them are loaded.
type finding struct {
	tx     *Tx
	limit  int // of each project and kind
	counts search.KindCounts
	more   bool              // there are more documents, which were not counted
	newest map[int64]*newest // by the document's project and kind
	slugs  map[int64]string
}

// maxCounted is how many events of one kind are counted in a project.
const maxCounted = 10_000

// byKind adds the events that have no words of their own. It finds them by their kind, along the log's index, and by
// their actor, so nothing is written for them.
func (f *finding) byKind(q search.Query, projects []int64) error {
	var inProjects, inNone []task.Kind
	byActor := map[task.Kind]search.Query{}
	for _, kind := range task.Kinds {
		rest := q.Without(search.Words(string(kind), ""))
		all := len(q.Groups) > 0 && len(rest.Groups) == 0
		switch {
		case all && kind.OfNoProject():
			inNone = append(inNone, kind)
		case kind.OfNoProject() || logged(kind):
		case all:
			inProjects = append(inProjects, kind)
		case len(rest.Groups) < len(q.Groups):
			byActor[kind] = rest
		}
	}
	if all := len(projects) == 1 && projects[0] == 0; all {
		if err := f.addEvents(0, inNone, nil); err != nil {
			return err
		}
		projects = sortedKeys(f.slugs)
	}
	for _, p := range projects {
		if err := f.addEvents(p, inProjects, nil); err != nil {
			return err
		}
		if err := f.acted(p, byActor); err != nil {
			return err
		}
	}
	return nil
}

// maxActed is how many actors of a project are compared with the words of a query.
const maxActed = 1000

// acted adds the events of a project whose kind has some words of a query and whose actor has the rest. rest has those
// words by kind.
func (f *finding) acted(project int64, rest map[task.Kind]search.Query) error {
	if len(rest) == 0 {
		return nil
	}
	actors, err := f.tx.actorsOf(project, maxActed+1)
	if err != nil {
		return err
	}
	f.more = f.more || len(actors) > maxActed
	for _, kind := range sortedKeys(rest) {
		meant := map[string]bool{}
		for _, a := range actors {
			if rest[kind].In(search.Words(a, "")) {
				meant[a] = true
			}
		}
		if len(meant) == 0 {
			continue
		}
		if err := f.addEvents(project, []task.Kind{kind}, meant); err != nil {
			return err
		}
	}
	return nil
}

// addEvents adds the events of some docKinds in a project, only those by some actors if any are given.
func (f *finding) addEvents(project int64, docKinds []task.Kind, by map[string]bool) error {
	for _, kind := range docKinds {
		n := 0
		err := f.tx.newestBy(project, kind, maxCounted+1, func(event int64, actor string) {
			if n++; n <= maxCounted && (by == nil || by[actor]) {
				f.add(docID(project, search.Log, event))
			}
		})
		if err != nil {
			return err
		}
		f.more = f.more || n > maxCounted
	}
	return nil
}

func (f *finding) add(doc int64) {
	_, kind, _ := docParts(doc)
	*f.counts.Of(kind)++
	n := f.newest[doc>>docKind]
	if n == nil {
		n = &newest{}
		f.newest[doc>>docKind] = n
	}
	n.add(doc, f.limit)
}

// newest collects the highest numbers.
type newest struct {
	docs []int64
	low  int64 // lower ones are no longer added
}

func (n *newest) add(doc int64, limit int) {
	if doc < n.low {
		return
	}
	n.docs = append(n.docs, doc)
	if len(n.docs) >= 4*limit {
		n.cut(limit)
	}
}

// cut sorts the numbers, the newest first, and drops those past the limit.
func (n *newest) cut(limit int) {
	slices.SortFunc(n.docs, func(a, b int64) int { return cmp.Compare(b, a) })
	if len(n.docs) > limit {
		n.docs = n.docs[:limit]
		n.low = n.docs[limit-1]
	}
}

// candidates returns the newest documents of a kind, from each project in turn.
func (f *finding) candidates(kind search.Kind) []int64 {
	var lists [][]int64
	for _, at := range sortedKeys(f.newest) {
		if _, k, _ := docParts(at << docKind); k == kind {
			f.newest[at].cut(f.limit)
			lists = append(lists, f.newest[at].docs)
		}
	}
	var out []int64
	for i, more := 0, true; more && len(out) < f.limit; i++ {
		more = false
		for _, docs := range lists {
			if i < len(docs) && len(out) < f.limit {
				out, more = append(out, docs[i]), true
			}
		}
	}
	return out
}

// candidateBytes is how many bytes of text of one kind are compared for the best hits: the newest, if there are more.
const candidateBytes = 4 << 20

// load reads and judges the candidates of a kind.
func (f *finding) load(q search.Query, kind search.Kind) ([]search.Found, error) {
	var out []search.Found
	ids, of := []int64{}, map[int64]int64{} // the project of each record whose id does not contain it
	for _, d := range f.candidates(kind) {
		project, _, record := docParts(d)
		if kind == search.Title || kind == search.Body {
			record = rows.KeyOf(project, record)
		}
		ids, of[record] = append(ids, record), project
	}
	sql := recordSQL(kind)
	seen, bytes := map[int64]bool{}, 0
	err := db.Batches(ids, func(run []any) error {
		args := append([]any{f.tx.Head.Now}, run...)
		return f.tx.C.Query(sql+db.In(2, len(run))+` ORDER BY 1 DESC`, args, func(row db.Row) error {
			id := row.Int(atID)
			if seen[id] {
				return nil // a run is padded
			}
			seen[id] = true
			found := search.Found{Kind: kind, Project: f.slugs[of[id]], Title: row.Text(atTitle), At: task.Time(row.Int(atMoment))}
			if t := row.Int(atTask); t != 0 {
				found.Task = task.Opt(task.MakeID(found.Project, rows.Number(t)))
			}
			found.Doc = docID(of[id], kind, id)
			var err error
			switch kind {
			case search.Title, search.Body:
				found.Doc = docID(of[id], kind, rows.Number(id))
				found.Text, err = taskText(kind, row)
			case search.Log:
				actor, kind, payload := row.Text(atTexts), row.Text(atTexts+1), row.Text(atTexts+2)
				found.Event = &task.Event{Actor: actor, Kind: task.Kind(kind), Payload: []byte(payload)}
				bytes += len(payload)
				found.Text, err = eventText(actor, kind, payload)
			case search.Actor:
				found.Text = row.Text(atTexts)
			default:
				found.Text = rowText(row, atTexts, annotationOf(kind).count())
			}
			if err != nil {
				return err
			}
			if bytes += len(found.Text); bytes > candidateBytes && len(out) > 0 {
				return ErrEnough
			}
			out = append(out, q.Judge(found, task.Time(f.tx.Head.Now)))
			return nil
		})
	})
	if errors.Is(err, ErrEnough) {
		err = nil
	}
	return out, err
}

// eventText returns the text that an event is found by. One that has no words of its own is found by its kind; its
// record has the rest.
func eventText(actor, kind, payload string) (string, error) {
	if k := task.Kind(kind); !logged(k) || k.OfNoProject() {
		return search.Text(kind, actor), nil
	}
	return logText(actor, kind, payload)
}

func taskText(kind search.Kind, row db.Row) (string, error) {
	if kind == search.Title {
		return search.Text(row.Text(atTitle), row.Text(atTexts)), nil
	}
	var t task.Task
	for i, into := range []any{&t.Criteria, &t.Links, &t.Touches} {
		if err := rows.DecodeJSON(row.Text(atTexts+1+i), into); err != nil {
			return "", err
		}
	}
	return bodyText(row.Text(atTexts), &t), nil
}

// The positions of the columns that recordSQL reads for every kind; the texts come last, as many as the kind has.
const (
	atID = iota
	atTask
	atTitle
	atMoment
	atTexts
)

// recordSQL reads records of a kind by id: the id, the task or 0, its title, its time, and the texts.
// $1 is now.
func recordSQL(kind search.Kind) string {
	changed := rows.Changed(`t.`, `$1`)
	if a := annotationOf(kind); a != nil {
		return `SELECT r.id, r.task, t.title, ` + a.at + `, ` + a.texts + ` FROM ` + a.table + ` r JOIN task t ON t.id=r.task
			LEFT JOIN event e ON e.id=r.id WHERE CAST($1 AS BIGINT)>0 AND r.id IN `
	}
	switch kind {
	case search.Title:
		return `SELECT t.id, t.id, t.title, ` + changed + `, t.key FROM task t WHERE t.id IN `
	case search.Body:
		return `SELECT t.id, t.id, t.title, ` + changed + `, COALESCE(b.body, ''), t.criteria, t.links, t.touches
			FROM task t LEFT JOIN task_body b ON b.task=t.id WHERE t.id IN `
	case search.Actor:
		// The task is that of the event that introduced the actor, or else of its first event that has one.
		return `SELECT w.id, w.ref, COALESCE(t.title, ''), w.at, w.name FROM (SELECT a.id, a.at, a.name, COALESCE(
				(SELECT NULLIF(e.task, 0) FROM event e WHERE e.id=a.id),
				(SELECT e.task FROM event e WHERE e.project=a.project AND e.actor=a.name AND e.task<>0 ORDER BY e.id LIMIT 1), 0) AS ref FROM actor a) w
			LEFT JOIN task t ON t.id=w.ref WHERE CAST($1 AS BIGINT)>0 AND w.id IN `
	default:
		return `SELECT e.id, e.task, COALESCE(t.title, ''), e.at, e.actor, e.kind, e.payload FROM event e
			LEFT JOIN task t ON t.id=e.task WHERE CAST($1 AS BIGINT)>0 AND e.id IN `
	}
}
