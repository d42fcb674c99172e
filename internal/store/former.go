package store

import (
	"slices"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// former is a slug that its project no longer has.
type former struct {
	now   string // the slug of the project that has its tasks; empty if there is none
	shift int64  // what is added to their numbers
	below int64  // merged: the first number that no task of it had; 0 if the project was renamed
}

// number returns the number that a task of the former slug has now, or false if there was no such task.
func (f former) number(n int64) (int64, bool) {
	return n + f.shift, f.now != "" && (f.below == 0 || n < f.below)
}

func (tx *Tx) former(slug string) (f former, err error) {
	err = tx.C.Query(`SELECT p.slug, f.shift, f.next_n FROM former f JOIN project p ON p.id=f.project WHERE f.slug=$1`, []any{slug},
		db.Each3(func(s string, by, next int64) { f = former{s, by, next} }))
	return f, err
}

// gone returns the error for a project that is looked up by a slug that no project has: f is what became of it.
func (f former) gone(tx *Tx, slug string) error {
	how := "renamed to"
	switch {
	case f.now == "" || tx.Hides(f.now):
		return NoProject(slug)
	case f.below > 0:
		how = "merged into"
	}
	return fault.Missing("there is no project %q: it was %s %s", slug, how, f.now).WithHint("write %s, also in a configuration that names it", f.now)
}

// formerly returns the project that took over the tasks of a slug when it was renamed or merged, and the number that a
// task has there. It returns nil if the reader sees no such project.
func (tx *Tx) formerly(slug string, n int64) (*Project, int64, error) {
	f, err := tx.former(slug)
	if err != nil {
		return nil, 0, err
	}
	n, had := f.number(n)
	if !had {
		return nil, 0, nil
	}
	p, err := tx.Find(f.now)
	return p, n, err
}

// Moved returns the ids that tasks have now in the project with the slug, by the ids that they had before it was renamed
// or another project was merged into it. Other ids are left out.
func (tx *Tx) Moved(slug string, ids []task.ID) (map[task.ID]task.ID, error) {
	seen, out := map[string]former{}, map[task.ID]task.ID{}
	for _, id := range ids {
		was, n, ok := task.ParseID(string(id))
		if !ok || was == slug {
			continue
		}
		f, asked := seen[was]
		if !asked {
			var err error
			if f, err = tx.former(was); err != nil {
				return nil, err
			}
			seen[was] = f
		}
		if n, had := f.number(n); had && f.now == slug {
			out[id] = task.MakeID(slug, n)
		}
	}
	return out, nil
}

// CheckFormer declines a slug that another project had before it was renamed, or that was merged into any project: its
// ids still resolve.
func CheckFormer(tx *Tx, name, own string) error {
	was, now, below := "", "", int64(0)
	err := tx.C.Query(`SELECT f.slug, p.slug, f.next_n FROM former f JOIN project p ON p.id=f.project
		WHERE LOWER(f.slug)=$1 AND (p.slug<>$2 OR f.next_n>0)`, []any{task.LowerSlug(name), own},
		db.Each3(func(s, is string, next int64) { was, now, below = s, is, next }))
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
		if err := tx.limit(id, projects); err != nil {
			return err
		}
	}
	return nil
}

// Unscope takes a project out of the scopes of sessions before it becomes part of another: a session must not open what its
// maker did not name. Those for this project alone end. It counts the valid ones.
func (tx *Tx) Unscope(slug string) (ended, narrowed int, err error) {
	all, err := tx.Sessions()
	if err != nil {
		return 0, 0, err
	}
	for _, one := range all {
		rest := slices.DeleteFunc(slices.Clone(one.Projects), func(p string) bool { return p == slug })
		switch {
		case len(rest) == len(one.Projects) || !one.Live(tx.Now()):
			continue
		case len(rest) == 0: // which would mean every project
			ended++
			err = tx.RevokeSession(one)
		default:
			narrowed++
			err = tx.limit(one.ID, rest)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return ended, narrowed, nil
}

// limit stores the projects that a session is limited to.
func (tx *Tx) limit(session int64, projects []string) error {
	text, err := rows.EncodeList(projects)
	if err != nil {
		return err
	}
	return tx.C.Exec(1, `UPDATE session SET projects=$2 WHERE id=$1`, session, text)
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
