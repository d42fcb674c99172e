package store

import (
	"slices"
	"strings"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// buildIndexes builds the index of a database that already has records, in portions of tasks and events.
func buildIndexes(c db.Conn) error {
	next, err := db.Pairs[int64, int64](c, `SELECT id, next_n FROM project`)
	if err != nil {
		return err
	}
	newest, err := db.Value[int64](c, `SELECT COALESCE(MAX(id), 0) FROM event`)
	if err != nil {
		return err
	}
	for _, project := range sortedKeys(next) {
		if err := buildIndex(c, project, next[project], newest); err != nil {
			return err
		}
	}
	return nil
}

// RebuildIndex builds the index of one project again. next is the number of its next task, and newest the newest event.
func RebuildIndex(c db.Conn, project, next, newest int64) error {
	_ = c.DropWords(project) // the connection keeps the error
	db.Exec(c, db.Any, `DELETE FROM actor WHERE project=$1`, project)
	return buildIndex(c, project, next, newest)
}

// buildIndex builds the index of a project that is not indexed yet.
func buildIndex(c db.Conn, project, next, newest int64) error {
	if err := introduceAll(c, project); err != nil {
		return err
	}
	for n := int64(0); n < max(next, 1); n += portion {
		if err := addAll(c, taskCorpus(project, n, n+portion-1)); err != nil {
			return err
		}
	}
	for id := int64(0); id <= newest; id += 5 * portion {
		if err := addAll(c, eventCorpus(project, id, id+5*portion-1)); err != nil {
			return err
		}
	}
	return nil
}

// portion is how many tasks make one portion.
const portion = 4000

func addAll(c db.Conn, from []docSource) error {
	var docs []db.Doc
	if err := corpus(c, from, func(d db.Doc) { docs = append(docs, d) }); err != nil {
		return err
	}
	return c.AddWords(docs)
}

// docSource is a query for records, with the function that turns a row into documents.
type docSource struct {
	sql  string
	args []any
	docs func(db.Row) ([]db.Doc, error)
}

// taskCorpus returns the sources of the tasks of a project with numbers from lo to hi.
func taskCorpus(project, lo, hi int64) []docSource {
	span := []any{rows.KeyOf(project, lo), rows.KeyOf(project, hi)}
	out := []docSource{{`SELECT ` + rows.IndexedTaskColumnsT + ` FROM task t
			LEFT JOIN task_body b ON b.task=t.id WHERE t.id BETWEEN $1 AND $2`, span, taskDocs}}
	for _, a := range annotations {
		out = append(out, a.source(project, `r.task BETWEEN $1 AND $2`, span))
	}
	return out
}

// eventCorpus returns the sources of the events of a project with ids from lo to hi.
func eventCorpus(project, lo, hi int64) []docSource {
	span := []any{project, lo, hi}
	return []docSource{
		{`SELECT id, name FROM actor WHERE project=$1 AND id BETWEEN $2 AND $3`, span, rowDocs(project, search.Actor, 1)},
		{`SELECT id, actor, kind, payload FROM event WHERE project=$1 AND id BETWEEN $2 AND $3 AND kind NOT IN ` + rows.Kinds(unlogged),
			span, logDocs(project)},
	}
}

// annotation is a kind of document that consists of one annotation of a task: its table r, the columns of its texts, and
// its time, for which e is the event that created it.
type annotation struct {
	kind             search.Kind
	table, texts, at string
}

// annotations are those kinds.
var annotations = []annotation{
	{search.Note, `note`, `r.text`, `r.at`},
	{search.Decision, `decision`, `r.title, r.rationale`, `r.at`},
	{search.Evidence, `evidence`, `r.kind, r.value, r.note`, `r.at`},
	{search.Binding, `binding`, `r.kind, r.ref, r.url`, `COALESCE(e.at, r.synced_at)`},
}

// annotationOf returns the annotation that a kind of document consists of, or nil.
func annotationOf(kind search.Kind) *annotation {
	if i := slices.IndexFunc(annotations, func(a annotation) bool { return a.kind == kind }); i >= 0 {
		return &annotations[i]
	}
	return nil
}

// count returns how many texts it has.
func (a *annotation) count() int { return strings.Count(a.texts, `,`) + 1 }

// source returns the source of the annotations in a project that satisfy a condition.
func (a *annotation) source(project int64, where string, args []any) docSource {
	return docSource{`SELECT r.id, ` + a.texts + ` FROM ` + a.table + ` r WHERE ` + where, args, rowDocs(project, a.kind, a.count())}
}

// sourcesOf returns the sources of one record's document, which may also yield others.
func sourcesOf(project int64, kind search.Kind, record int64) []docSource {
	if a := annotationOf(kind); a != nil {
		span := []any{record, rows.KeyOf(project, 0), rows.KeyOf(project, rows.MaxNumber)}
		return []docSource{a.source(project, `r.id=$1 AND r.task BETWEEN $2 AND $3`, span)}
	}
	if kind == search.Title || kind == search.Body {
		return taskCorpus(project, record, record)[:1]
	}
	return eventCorpus(project, record, record)
}

// corpus yields every document that has a word. yield must not use the connection.
func corpus(c db.Conn, from []docSource, yield func(db.Doc)) error {
	for _, s := range from {
		err := c.Query(s.sql, s.args, func(row db.Row) error {
			docs, err := s.docs(row)
			for _, d := range docs {
				if d.Words != "" {
					yield(d)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func taskDocs(row db.Row) ([]db.Doc, error) {
	var t task.Task
	if err := rows.ReadIndexedTask(&rows.Scanner{}, row, &t); err != nil {
		return nil, err
	}
	ref := rows.Ref(row)
	return []db.Doc{titleDoc(ref, t.Title, t.Key), bodyDoc(ref, t.Title, string(t.Body), &t)}, nil
}

// rowDocs returns a function that makes a document from an id and the n texts after it.
func rowDocs(project int64, kind search.Kind, n int) func(db.Row) ([]db.Doc, error) {
	return func(row db.Row) ([]db.Doc, error) {
		const id, first = 0, 1
		return []db.Doc{{ID: docID(project, kind, row.Int(id)), Words: search.Words(rowText(row, first, n), "")}}, nil
	}
}

// rowText joins n columns.
func rowText(row db.Row, first, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = row.Text(first + i)
	}
	return search.Text(parts...)
}

func logDocs(project int64) func(db.Row) ([]db.Doc, error) {
	return func(row db.Row) ([]db.Doc, error) {
		const id, actor, kind, payload = 0, 1, 2, 3
		text, err := logText(row.Text(actor), row.Text(kind), row.Text(payload))
		return []db.Doc{{ID: docID(project, search.Log, row.Int(id)), Words: search.Words(text, "")}}, err
	}
}
