package store

import (
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

func newProject(id int64) *project {
	p := &project{id: id}
	p.front = frontier.NewProject(id, &p.rec)
	return p
}

func scanProject(row db.Row) (*project, error) {
	p := newProject(row.Int(rows.ProjectAtID))
	return p, rows.ReadProject(&rows.Scanner{}, row, &p.rec)
}

// project returns a project that the reader sees.
func (r *tx) project(slug string) (*project, error) {
	if r.hides(slug) {
		return nil, noProject(slug)
	}
	return r.loaded(slug)
}

// loaded loads a project once a transaction, whoever may see it.
func (r *tx) loaded(slug string) (*project, error) {
	if p := r.projects[slug]; p != nil {
		return p, nil
	}
	var p *project
	err := r.c.Query(`SELECT `+rows.ProjectColumns+` FROM project WHERE slug=$1`, []any{slug}, func(row db.Row) (err error) {
		p, err = scanProject(row)
		return err
	})
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, noProject(slug)
	}
	r.projects[slug] = p
	return p, nil
}

// Project returns a project's record.
func (r ProjectReader) Project(slug string) (*task.Project, error) {
	p, err := r.project(slug)
	if err != nil {
		return nil, err
	}
	return r.shown(p)
}

// shown is the record with lapsed leases counted as they will be swept.
func (r *tx) shown(p *project) (*task.Project, error) {
	rec := p.rec
	lapsed, err := r.lapsed(p)
	if err != nil {
		return nil, err
	}
	for _, t := range lapsed {
		rec.Tasks.InProgress--
		rec.Tasks.Open++
		rec.Held--
		if t.Ready() {
			rec.Ready++
		}
	}
	return &rec, nil
}

// Projects returns the record of every project that the reader sees, by slug.
func (r ProjectReader) Projects() ([]*task.Project, error) {
	var slugs []string
	err := r.c.Query(`SELECT `+rows.ProjectColumns+` FROM project ORDER BY slug`, nil, func(row db.Row) error {
		p, err := scanProject(row)
		if err != nil {
			return err
		}
		if r.projects[p.rec.Slug] == nil {
			r.projects[p.rec.Slug] = p
		}
		if !r.hides(p.rec.Slug) {
			slugs = append(slugs, p.rec.Slug)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]*task.Project, len(slugs))
	for i, slug := range slugs {
		if out[i], err = r.shown(r.projects[slug]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// slugs returns the slug of each project by its id.
func (r *tx) slugs() (map[int64]string, error) {
	out := map[int64]string{}
	err := r.c.Query(`SELECT id, slug FROM project`, nil, db.Scan2(func(id int64, slug string) error {
		out[id] = slug
		return nil
	}))
	return out, err
}

// CreateProject makes a project and records its events.
func (w ProjectWriter) CreateProject(rec *task.Project, ev ...task.Draft) error {
	if w.hides(rec.Slug) {
		return noProject(rec.Slug)
	}
	_, err := w.project(rec.Slug)
	switch {
	case err == nil:
		return fault.Decline("there is a project %q already", rec.Slug).WithHint("show it: tasker project show %s", rec.Slug)
	case !fault.Is(err, fault.NotFound):
		return err
	}
	id, err := w.nextOf(`SELECT COALESCE(MAX(id), 0) + 1 FROM project`)
	if err != nil {
		return err
	}
	p := newProject(id)
	p.rec = *rec
	p.rec.NextNumber, p.rec.CreatedAt, p.rec.UpdatedAt, p.rec.GraphVersion, p.rec.FlowVersion = 1, w.Now(), w.Now(), 1, 1
	values, err := rows.ProjectValues(&p.rec, id)
	if err != nil {
		return err
	}
	if err := w.c.Exec(1, rows.InsertProject, values...); err != nil {
		return err
	}
	w.projects[rec.Slug] = p
	w.turn.Undo(func() { delete(w.projects, rec.Slug) })
	*rec = p.rec
	if _, err := w.frontier.Order(p.front, task.Order{}); err != nil {
		return err
	}
	return w.recordEach(rec.Slug, "", ev...)
}

// SaveProject writes what describes a project, guarded by its graph version, which it moves.
func (w ProjectWriter) SaveProject(before, after *task.Project, ev ...task.Draft) error {
	p, err := w.project(before.Slug)
	if err != nil {
		return err
	}
	if p.rec.GraphVersion != before.GraphVersion {
		return fault.Stale("the project %s was changed by somebody else in between", before.Slug).WithHint("read it again and retry")
	}
	w.touch(p)
	p.rec.GraphVersion++
	p.rec.Name, p.rec.Vision, p.rec.Gates, p.rec.Settings = after.Name, after.Vision, after.Gates, after.Settings
	p.rec.Archived, p.rec.UpdatedAt = after.Archived, w.Now()
	args, err := rows.ProjectDescriptionArgs(p.id, &p.rec)
	if err != nil {
		return err
	}
	if err := w.c.Exec(1, rows.UpdateProjectDescription, args...); err != nil {
		return err
	}
	return w.recordEach(before.Slug, "", ev...)
}

// RenameProject returns a project another slug, and so its tasks other ids.
func (w ProjectWriter) RenameProject(slug, to string) error {
	p, err := w.project(slug)
	if err != nil {
		return err
	}
	if w.hides(to) {
		return noProject(to)
	}
	if _, err := w.project(to); err == nil {
		return fault.Decline("there is a project %q already", to)
	} else if !fault.Is(err, fault.NotFound) {
		return err
	}
	w.touch(p)
	p.rec.Slug, p.rec.UpdatedAt = to, w.Now()
	p.rec.GraphVersion++
	delete(w.projects, slug)
	w.projects[to] = p
	w.turn.Undo(func() { delete(w.projects, to); w.projects[slug] = p })
	if err := w.c.Exec(1, `UPDATE project SET slug=$2, updated_at=$3 WHERE id=$1 AND slug=$4`, p.id, to, int64(w.Now()), slug); err != nil {
		return err
	}
	return w.recordEach(to, "", task.Draft{Kind: task.ProjectUpdated, Payload: task.Payload{"slug": task.Delta{From: slug, To: to}}})
}

// DeleteProject removes a project with everything in it, its events too; what is left is one event that says so.
func (w ProjectWriter) DeleteProject(slug string) error {
	p, err := w.project(slug)
	if err != nil {
		return err
	}
	lo, hi := p.span()
	for _, sql := range []string{
		`DELETE FROM note WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM evidence WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM approval WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM question WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM decision WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM binding WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM guidance WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM seen WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM dep WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM task_body WHERE task BETWEEN $1 AND $2`,
		`DELETE FROM task WHERE id BETWEEN $1 AND $2`,
	} {
		if err := w.c.Exec(db.Any, sql, lo, hi); err != nil {
			return err
		}
	}
	if err := w.frontier.Delete(p.id); err != nil {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM tally WHERE project=$1`,
		`DELETE FROM event WHERE project=$1`,
		`DELETE FROM actor WHERE project=$1`,
	} {
		if err := w.c.Exec(db.Any, sql, p.id); err != nil {
			return err
		}
	}
	if err := w.c.DropWords(p.id); err != nil {
		return err
	}
	if err := w.c.Exec(1, `DELETE FROM project WHERE id=$1 AND slug=$2`, p.id, slug); err != nil {
		return err
	}
	delete(w.projects, slug)
	w.turn.Undo(func() { w.projects[slug] = p })
	return w.recordEach("", "", task.Draft{Kind: task.ProjectUpdated, Payload: task.Payload{
		"slug": slug, "deleted": task.Delta{From: false, To: true},
	}})
}

// nextOf reads one number: the next free id of a small table.
func (w *member) nextOf(sql string) (n int64, err error) {
	err = w.c.Query(sql, nil, db.Scan1(func(next int64) error { n = next; return nil }))
	return n, err
}
