package store

import (
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Project returns a project's record.
func (tx *Tx) Project(slug string) (*task.Project, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	return tx.Shown(p)
}

// Projects returns every project that the reader sees, by slug.
func (tx *Tx) Projects() ([]*task.Project, error) {
	var slugs []string
	err := tx.C.Query(`SELECT `+rows.ProjectColumns+` FROM project ORDER BY slug`, nil, func(row db.Row) error {
		p, err := ScanProject(row)
		if err != nil {
			return err
		}
		if tx.Cache[p.Rec.Slug] == nil {
			tx.Cache[p.Rec.Slug] = p
		}
		if !tx.Hides(p.Rec.Slug) {
			slugs = append(slugs, p.Rec.Slug)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]*task.Project, len(slugs))
	for i, slug := range slugs {
		if out[i], err = tx.Shown(tx.Cache[slug]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// CheckSlugFree declines a slug that differs only in case from that of an existing project; the project own may have
// it.
func (tx *Tx) CheckSlugFree(name, own string) error {
	taken, err := db.Value[string](tx.C, `SELECT slug FROM project WHERE LOWER(slug)=$1 AND slug<>$2`, task.LowerSlug(name), own)
	switch {
	case err == nil && taken == "":
		return CheckFormer(tx, name, own)
	case err != nil:
		return err
	case tx.Hides(taken):
		return fault.Decline("%s cannot name a project here: a slug that differs from it only in case is taken", name).
			WithHint("choose another slug")
	}
	return fault.Decline("there is a project %s already, and %s differs from it only in case", taken, name).
		WithHint("write %s if you mean that project, else choose another slug", taken)
}

// CreateProject adds a project and records its events.
func (tx *Tx) CreateProject(rec *task.Project, ev ...task.Draft) error {
	if tx.Hides(rec.Slug) {
		return NoProject(rec.Slug)
	}
	_, err := tx.Find(rec.Slug)
	switch {
	case err == nil:
		return fault.Decline("there is a project %q already", rec.Slug).WithHint("show it: %s", hint.Project(rec.Slug))
	case !fault.Is(err, fault.NotFound):
		return err
	}
	if err := (tx).CheckSlugFree(rec.Slug, rec.Slug); err != nil {
		return err
	}
	id, err := db.Value[int64](tx.C, `SELECT COALESCE(MAX(id), 0) + 1 FROM project`)
	if err != nil {
		return err
	}
	next, err := tx.NumberAfter(rec.Slug)
	if err != nil {
		return err
	}
	p := NewProject(id)
	p.Rec = *rec
	p.Rec.NextNumber, p.Rec.CreatedAt, p.Rec.UpdatedAt, p.Rec.GraphVersion, p.Rec.FlowVersion = next, tx.Now(), tx.Now(), 1, 1
	values, err := rows.ProjectValues(&p.Rec, id)
	if err != nil {
		return err
	}
	tx.Exec(1, rows.InsertProject, values...)
	tx.Cache[rec.Slug] = p
	tx.Turn.Undo(func() { delete(tx.Cache, rec.Slug) })
	*rec = p.Rec
	if _, err := tx.Places.Order(p.Front, task.Order{}); err != nil {
		return err
	}
	return tx.Record(rec.Slug, "", ev...)
}

// SaveProject writes the description of a project, guarded by its graph version, which it increments.
func (tx *Tx) SaveProject(before, after *task.Project, ev ...task.Draft) error {
	p, err := tx.Find(before.Slug)
	if err != nil {
		return err
	}
	if p.Rec.GraphVersion != before.GraphVersion {
		return fault.Stale("the project %s was changed by somebody else in between", before.Slug).WithHint("read it again and retry")
	}
	tx.Touch(p)
	p.Rec.GraphVersion++
	p.Rec.Name, p.Rec.Vision, p.Rec.Gates, p.Rec.Settings = after.Name, after.Vision, after.Gates, after.Settings
	p.Rec.Policy, p.Rec.PolicyFile, p.Rec.PolicyAt = after.Policy, after.PolicyFile, after.PolicyAt
	p.Rec.PolicyDir, p.Rec.Repo = after.PolicyDir, after.Repo
	p.Rec.Archived, p.Rec.UpdatedAt = after.Archived, tx.Now()
	args, err := rows.ProjectDescriptionArgs(p.ID, &p.Rec)
	if err != nil {
		return err
	}
	tx.Exec(1, rows.UpdateProjectDescription, args...)
	return tx.Record(before.Slug, "", ev...)
}

// RenameProject changes a project's slug, and with it the ids of its tasks. The old ids still resolve.
func (tx *Tx) RenameProject(slug, to string, undoes ...int64) error {
	p, err := tx.Find(slug)
	if err != nil {
		return err
	}
	if tx.Hides(to) {
		return NoProject(to)
	}
	if _, err := tx.Find(to); err == nil {
		return fault.Decline("there is a project %q already", to)
	} else if !fault.Is(err, fault.NotFound) {
		return err
	}
	if err := (tx).CheckSlugFree(to, slug); err != nil {
		return err
	}
	tx.Touch(p)
	p.Rec.Slug, p.Rec.UpdatedAt, p.Rec.GraphVersion = to, tx.Now(), p.Rec.GraphVersion+1
	delete(tx.Cache, slug)
	tx.Cache[to] = p
	tx.Turn.Undo(func() { delete(tx.Cache, to); tx.Cache[slug] = p })
	tx.Exec(1, `UPDATE project SET slug=$2, updated_at=$3 WHERE id=$1 AND slug=$4`, p.ID, to, int64(tx.Now()), slug)
	if err := tx.C.Exec(db.Any, `DELETE FROM former WHERE slug=$1`, to); err != nil { // its own slug again, or that of a deleted project
		return err
	}
	tx.Exec(1, `INSERT INTO former (slug, project, next_n) VALUES ($1,$2,0)`, slug, p.ID)
	payload := Undoing(task.Payload{"slug": task.Delta{From: slug, To: to}}, undoes)
	return tx.Record(to, "", task.Draft{Kind: task.ProjectRenamed, Payload: payload})
}

// DeleteProject removes a project and everything in it, including its events, and records one event that says so.
func (tx *Tx) DeleteProject(slug string) error {
	p, err := tx.Find(slug)
	if err != nil {
		return err
	}
	lo, hi := p.Span()
	for _, table := range OfTask {
		tx.Exec(db.Any, `DELETE FROM `+table+` WHERE task BETWEEN $1 AND $2`, lo, hi)
	}
	tx.Exec(db.Any, `DELETE FROM task WHERE id BETWEEN $1 AND $2`, lo, hi)
	tx.Places.Delete(p.ID)
	for _, table := range []string{"tally", "touch", "delivery", "event", "actor", "linked"} {
		tx.Exec(db.Any, `DELETE FROM `+table+` WHERE project=$1`, p.ID)
	}
	_ = tx.C.DropWords(p.ID) // the connection keeps the error
	tx.Exec(1, `DELETE FROM project WHERE id=$1 AND slug=$2`, p.ID, slug)
	delete(tx.Cache, slug)
	tx.Turn.Undo(func() { tx.Cache[slug] = p })
	tx.Exec(db.Any, `UPDATE former SET project=0, next_n=$2 WHERE project=$1`, p.ID, p.Rec.NextNumber)
	tx.Exec(1, `INSERT INTO former (slug, project, next_n) VALUES ($1,0,$2)`, slug, p.Rec.NextNumber)
	return tx.Record("", "", task.Draft{Kind: task.ProjectDeleted, Payload: task.Payload{
		"slug": slug, "deleted": task.Delta{From: false, To: true},
	}})
}

// NewProject returns a project with an empty record.
func NewProject(id int64) *Project {
	p := &Project{ID: id}
	p.Front = frontier.NewProject(id, &p.Rec)
	return p
}

// ScanProject reads a project from a row of rows.ProjectColumns.
func ScanProject(row db.Row) (*Project, error) {
	p := NewProject(row.Int(rows.ProjectAtID))
	return p, rows.ReadProject(&rows.Scanner{}, row, &p.Rec)
}

// Find returns a project that the reader sees.
func (tx *Tx) Find(slug string) (*Project, error) {
	if tx.Hides(slug) {
		return nil, NoProject(slug)
	}
	return tx.Loaded(slug)
}

// Loaded returns a project, visible or not. It loads the project once per transaction.
func (tx *Tx) Loaded(slug string) (*Project, error) {
	if p := tx.Cache[slug]; p != nil {
		return p, nil
	}
	found, err := db.All(tx.C, `SELECT `+rows.ProjectColumns+` FROM project WHERE slug=$1`, []any{slug}, ScanProject)
	switch {
	case err != nil:
		return nil, err
	case len(found) > 0:
		tx.Cache[slug] = found[0]
		return found[0], nil
	case tx.Head.Absent != "":
		return nil, NoDatabase(tx.Head.Absent).WithCause(task.UnknownProject(slug))
	}
	f, err := tx.former(slug)
	if err == nil {
		err = f.gone(tx, slug)
	}
	return nil, err
}

// Known returns the slugs of the projects that the transaction has looked up, in order.
func (tx *Tx) Known() []string { return sortedKeys(tx.Cache) }

// Shown returns the record with lapsed claims counted as if they were swept.
func (tx *Tx) Shown(p *Project) (*task.Project, error) {
	rec := p.Rec
	lapsed, err := tx.Lapsed(p)
	if err != nil {
		return nil, err
	}
	for _, t := range lapsed {
		rec.Tasks.InProgress--
		rec.Tasks.Open++
		rec.Held--
		switch t.State() {
		case task.StateReady:
			rec.Ready++
		case task.StateWaiting:
			rec.Waiting++
		default: // asked: the others count it
		}
	}
	return &rec, nil
}

// SlugsByID returns the slug of each project by its id.
func (tx *Tx) SlugsByID() (map[int64]string, error) {
	return db.Pairs[int64, string](tx.C, `SELECT id, slug FROM project`)
}
