package tx

import (
	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/slug"
)

// formerly returns the project that had a slug before it was renamed, nil where there is none that the reader sees.
func (r *Tx) formerly(slug string) (*Project, error) {
	now := ""
	err := r.C.Query(`SELECT p.slug FROM former f JOIN project p ON p.id=f.project WHERE f.slug=$1`, []any{slug},
		db.Scan1(func(s string) error { now = s; return nil }))
	if err != nil || now == "" {
		return nil, err
	}
	return r.Find(now)
}

// CheckFormer declines a slug that another project had before it was renamed: its ids go on resolving.
func (r *Tx) CheckFormer(name, own string) error {
	was, now := "", ""
	err := r.C.Query(`SELECT f.slug, p.slug FROM former f JOIN project p ON p.id=f.project WHERE LOWER(f.slug)=$1 AND p.slug<>$2`,
		[]any{slug.Lower(name), own}, db.Scan2(func(s, is string) error { was, now = s, is; return nil }))
	switch {
	case err != nil || was == "":
		return err
	case r.Hides(now):
		return fault.Decline("%s cannot name a project here: it is taken", name).WithHint("choose another slug")
	}
	return fault.Decline("the project %s was renamed to %s, and its slug stays taken", was, now).
		WithHint("write %s if you mean that project, else choose another slug", now)
}

// NumberAfter returns the number of the next task of a project with a slug that a deleted one had, and forgets that one.
func (w *Member) NumberAfter(slug string) (next int64, err error) {
	next = 1
	err = w.C.Query(`SELECT next_n FROM former WHERE slug=$1 AND project=0`, []any{slug}, db.Scan1(func(n int64) error { next = n; return nil }))
	if err != nil || next == 1 {
		return next, err
	}
	return next, w.C.Exec(1, `DELETE FROM former WHERE slug=$1`, slug)
}
