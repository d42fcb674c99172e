package store

import (
	"tasker/internal/db"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

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
