package store

import (
	"cmp"
	"slices"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/search"
	"tasker/internal/task"
)

// Search counts the documents that a query finds, of every kind, and loads the candidates for the hits: of each kind
// that was asked for the newest, taken from every project in turn. A task whose id is the query is found by it.
func (r *Reader) Search(a search.Ask) (search.Result, error) {
	var out search.Result
	f := &finding{r: r, most: search.Candidates(a.Limit), newest: map[int64]*newest{}}
	projects, err := r.searched(a.Project)
	if err != nil {
		return out, err
	}
	for _, p := range sortedKeys(projects) {
		if err := r.c.FindWords(a.Query, p, f.add); err != nil {
			return out, err
		}
	}
	if f.slugs = projects; projects[0] != "" {
		if f.slugs, err = r.slugs(); err != nil {
			return out, err
		}
	}
	out.Counts = f.counts
	for _, kind := range kinds {
		if a.Kind != "" && a.Kind != kind {
			continue
		}
		found, err := f.load(kind)
		if err != nil {
			return out, err
		}
		out.Found = append(out.Found, found...)
	}
	return out, r.named(a, &out)
}

// searched gives the projects to look through, by id; the one with id 0 stands for all of them.
func (r *Reader) searched(slug string) (map[int64]string, error) {
	slugs := r.scope
	switch {
	case slug != "":
		p, err := r.project(slug)
		if err != nil {
			return nil, err
		}
		return map[int64]string{p.id: slug}, nil
	case len(slugs) == 0:
		return map[int64]string{0: "*"}, nil
	}
	out := map[int64]string{}
	for _, slug := range slugs {
		p, err := r.project(slug)
		if err == nil {
			out[p.id] = slug
		} else if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	return out, nil
}

// finding is the documents that were found, of which the newest are kept.
type finding struct {
	r      *Reader
	most   int // of each project and kind
	counts search.KindCounts
	newest map[int64]*newest // by the document's project and kind
	slugs  map[int64]string
}

func (f *finding) add(doc int64) {
	_, kind, _ := parts(doc)
	*f.counts.Of(kind)++
	n := f.newest[doc>>docKind]
	if n == nil {
		n = &newest{}
		f.newest[doc>>docKind] = n
	}
	n.add(doc, f.most)
}

// newest are the highest numbers that were added.
type newest struct {
	docs []int64
	low  int64 // none below it is let in any more
}

func (n *newest) add(doc int64, most int) {
	if doc < n.low {
		return
	}
	n.docs = append(n.docs, doc)
	if len(n.docs) >= 4*most {
		n.cut(most)
	}
}

// cut sorts, the newest first, and forgets what is past most.
func (n *newest) cut(most int) {
	slices.SortFunc(n.docs, func(a, b int64) int { return cmp.Compare(b, a) })
	if len(n.docs) > most {
		n.docs = n.docs[:most]
		n.low = n.docs[most-1]
	}
}

// candidates are the newest documents of a kind, of each project in turn.
func (f *finding) candidates(kind search.Kind) []int64 {
	var lists [][]int64
	for _, at := range sortedKeys(f.newest) {
		if _, k, _ := parts(at << docKind); k == kind {
			f.newest[at].cut(f.most)
			lists = append(lists, f.newest[at].docs)
		}
	}
	var out []int64
	for i, more := 0, true; more && len(out) < f.most; i++ {
		more = false
		for _, docs := range lists {
			if i < len(docs) && len(out) < f.most {
				out, more = append(out, docs[i]), true
			}
		}
	}
	return out
}

// load reads the candidates of a kind from their records.
func (f *finding) load(kind search.Kind) ([]search.Found, error) {
	var out []search.Found
	ids, of := []int64{}, map[int64]int64{} // the project of each record whose id does not tell
	for _, d := range f.candidates(kind) {
		project, _, record := parts(d)
		if kind == search.Title || kind == search.Body {
			record = ref(project, record)
		}
		ids, of[record] = append(ids, record), project
	}
	sql := recordSQL(kind)
	seen := map[int64]bool{}
	err := db.Batches(ids, func(run []any) error {
		args := append([]any{f.r.head.Now}, run...)
		return f.r.c.Query(sql+db.In(2, len(run)), args, func(row db.Row) error {
			id := row.Int(0)
			if seen[id] {
				return nil // a run is padded
			}
			seen[id] = true
			found := search.Found{Kind: kind, Project: f.slugs[of[id]], Title: row.Text(2), At: task.Time(row.Int(3))}
			if t := row.Int(1); t != 0 {
				found.Task = task.Opt(task.MakeID(found.Project, number(t)))
			}
			found.Doc = doc(of[id], kind, id)
			var err error
			switch kind {
			case search.Title, search.Body:
				found.Doc = doc(of[id], kind, number(id))
				found.Text, err = taskText(kind, row)
			case search.Log:
				found.Text, err = logText(row.Text(4), row.Text(5), row.Text(6))
			case search.Evidence, search.Binding:
				found.Text = rowText(row, 4, 3)
			case search.Decision:
				found.Text = rowText(row, 4, 2)
			default:
				found.Text = row.Text(4)
			}
			out = append(out, found)
			return err
		})
	})
	return out, err
}

func taskText(kind search.Kind, row db.Row) (string, error) {
	if kind == search.Title {
		return search.Text(row.Text(2), row.Text(4)), nil
	}
	var t task.Task
	err := scanDetails(&t, row, 5)
	return bodyText(row.Text(4), &t), err
}

// recordSQL reads records of a kind by id: the id, the task or 0, its title, when it was, and the texts. A lapsed lease
// counts as the task's newest change, as it will be swept. $1 is now.
func recordSQL(kind search.Kind) string {
	const changed = `CASE WHEN t.holder IS NOT NULL AND t.expires_at>0 AND t.expires_at<=$1 THEN t.expires_at ELSE t.updated_at END`
	beside := func(table, at, texts string) string {
		return `SELECT r.id, r.task, t.title, ` + at + `, ` + texts + ` FROM ` + table + ` r JOIN task t ON t.id=r.task
			LEFT JOIN event e ON e.id=r.id WHERE CAST($1 AS BIGINT)>0 AND r.id IN `
	}
	switch kind {
	case search.Title:
		return `SELECT t.id, t.id, t.title, ` + changed + `, t.key FROM task t WHERE t.id IN `
	case search.Body:
		return `SELECT t.id, t.id, t.title, ` + changed + `, COALESCE(b.body, ''), t.criteria, t.links, t.touches
			FROM task t LEFT JOIN task_body b ON b.task=t.id WHERE t.id IN `
	case search.Note:
		return beside(`note`, `r.at`, `r.text`)
	case search.Decision:
		return beside(`decision`, `r.at`, `r.title, r.rationale`)
	case search.Evidence:
		return beside(`evidence`, `r.at`, `r.kind, r.value, r.note`)
	case search.Binding:
		return beside(`binding`, `COALESCE(e.at, r.synced_at)`, `r.kind, r.ref, r.url`)
	case search.Actor:
		return `SELECT id, 0, '', at, name FROM actor WHERE CAST($1 AS BIGINT)>0 AND id IN `
	default:
		return `SELECT e.id, e.task, COALESCE(t.title, ''), e.at, e.actor, e.kind, e.payload FROM event e
			LEFT JOIN task t ON t.id=e.task WHERE CAST($1 AS BIGINT)>0 AND e.id IN `
	}
}

// named adds the task whose id the query is, where its words did not find it.
func (r *Reader) named(a search.Ask, out *search.Result) error {
	slug, _, ok := task.ParseID(a.Text)
	if !ok || a.Project != "" && a.Project != slug {
		return nil
	}
	t, err := r.Task(task.ID(a.Text))
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	words := search.Words(search.Text(t.Title, t.Key), "")
	if !a.Query.In(words) {
		out.Counts.Title++
	}
	if a.Kind != "" && a.Kind != search.Title {
		return nil
	}
	out.Found = slices.DeleteFunc(out.Found, func(f search.Found) bool { return f.Kind == search.Title && f.Task == task.Opt(t.ID) })
	_, ref, err := r.refOf(t.ID)
	out.Found = append(out.Found, search.Found{
		Kind: search.Title, Doc: doc(ref>>shift, search.Title, number(ref)), Task: task.Opt(t.ID), Project: t.Project,
		Title: t.Title, Text: t.Title, At: t.UpdatedAt, Named: true,
	})
	return err
}
