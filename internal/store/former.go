package store

import (
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/rows"
	"tasker/internal/task/slug"
)

// formerly returns the project that took over the tasks of a slug when it was renamed or merged, and the number that a
// task has there. It returns nil if the reader sees no such project.
func (tx *Tx) formerly(slug string, n int64) (*Project, int64, error) {
	now, shift, below := "", int64(0), int64(0)
	err := tx.C.Query(`SELECT p.slug, f.shift, f.next_n FROM former f JOIN project p ON p.id=f.project WHERE f.slug=$1`, []any{slug},
		db.Scan3(func(s string, by, next int64) error { now, shift, below = s, by, next; return nil }))
	if err != nil || now == "" || below > 0 && n >= below {
		return nil, 0, err
	}
	p, err := tx.Find(now)
	return p, n + shift, err
}

// CheckFormer declines a slug that another project had before it was renamed, or that was merged into any project: its
// ids still resolve.
func CheckFormer(tx *Tx, name, own string) error {
	was, now, below := "", "", int64(0)
	err := tx.C.Query(`SELECT f.slug, p.slug, f.next_n FROM former f JOIN project p ON p.id=f.project
		WHERE LOWER(f.slug)=$1 AND (p.slug<>$2 OR f.next_n>0)`, []any{slug.Lower(name), own},
		db.Scan3(func(s, is string, next int64) error { was, now, below = s, is, next; return nil }))
	switch {
	case err != nil || was == "":
		return err
	case tx.Hides(now):
		return fault.Decline("%s cannot name a project here: it is taken", name).WithHint("choose another slug")
	case below > 0:
		return fault.Decline("the project %s was merged into %s, and its slug stays taken", was, now).
			WithHint("write %s if you mean that project, else choose another slug", now)
	}
	return fault.Decline("the project %s was renamed to %s, and its slug stays taken", was, now).
		WithHint("write %s if you mean that project, else choose another slug", now)
}

// Rescope lets sessions that are limited to a project follow it to another slug. It records no event, because they
// still open the same project.
func (tx *Tx) Rescope(from, to string) error {
	found, err := db.Pairs[int64, string](tx.C, `SELECT id, projects FROM session WHERE projects<>''`)
	if err != nil {
		return err
	}
	for _, id := range sortedKeys(found) {
		var projects []string
		if err := json.Unmarshal([]byte(found[id]), &projects); err != nil {
			return err
		}
		at := slices.Index(projects, from)
		if at < 0 {
			continue
		}
		if slices.Contains(projects, to) {
			projects = slices.Delete(projects, at, at+1)
		} else {
			projects[at] = to
		}
		text, err := rows.EncodeList(projects)
		if err != nil {
			return err
		}
		tx.Exec(1, `UPDATE session SET projects=$2 WHERE id=$1`, id, text)
	}
	return nil
}

// NumberAfter returns the first task number for a project that reuses the slug of a deleted one, and forgets the
// deleted one.
func (tx *Tx) NumberAfter(slug string) (int64, error) {
	next, err := db.Value[int64](tx.C, `SELECT next_n FROM former WHERE slug=$1 AND project=0`, slug)
	if err != nil || next <= 1 {
		return 1, err
	}
	return next, tx.C.Exec(1, `DELETE FROM former WHERE slug=$1`, slug)
}
