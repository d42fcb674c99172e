package dump

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/query"
)

// taken is the key that a task gets if the other project already has its key. $3 is the slug of its
// old project.
const taken = `CAST($3 AS TEXT)||':'||t.key`

// Rekeyed returns the keys that both projects have, with the new keys that tasks of from get, by
// number.
func Rekeyed(tx *store.Tx, from, into string) ([]query.Rekeyed, error) {
	a, b, err := both(tx, from, into)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT t.key, `+taken+`, CASE WHEN EXISTS (SELECT 1 FROM task o WHERE o.project IN ($1, $2) AND o.key=`+taken+`) THEN 1 ELSE 0 END
		FROM task t WHERE t.project=$1 AND EXISTS (SELECT 1 FROM task o WHERE o.project=$2 AND o.key=t.key) ORDER BY t.id`, []any{a.ID, b.ID, from},
		db.Read3(func(key, to string, also int64) query.Rekeyed {
			return query.Rekeyed{Key: key, To: to, Taken: also != 0}
		}))
}

// Shared returns up to limit issues that tasks of both projects are bound to, by name.
func Shared(tx *store.Tx, from, into string, limit int) ([]query.Shared, error) {
	a, b, err := both(tx, from, into)
	if err != nil {
		return nil, err
	}
	lo, hi := a.Span()
	oLo, oHi := b.Span()
	return db.All(tx.C, `SELECT x.ref, x.task, y.task FROM binding x JOIN binding y ON y.system=x.system AND y.ref=x.ref
		WHERE x.system=$1 AND x.task BETWEEN $2 AND $3 AND y.task BETWEEN $4 AND $5 ORDER BY x.ref, x.task, y.task LIMIT `+strconv.Itoa(limit),
		[]any{merge.IssueTracker, lo, hi, oLo, oHi}, db.Read3(func(ref string, x, y int64) query.Shared {
			return query.Shared{Ref: ref, Task: a.TaskID(x), Other: b.TaskID(y)}
		}))
}

func both(tx *store.Tx, from, into string) (a, b *store.Project, err error) {
	if a, err = tx.Find(from); err != nil {
		return nil, nil, err
	}
	b, err = tx.Find(into)
	return a, b, err
}

// merged lists the tables that a merge does not move row by row, and what it does instead.
var merged = map[string]string{
	"task":        "copied under new keys, before what refers to them is moved",
	"project":     "the merged project is removed",
	"former":      "its slugs lead to the other project",
	"linked":      "for a system that both are linked to, the other project's link wins",
	"seen":        "both projects end up with one floor: see joinSeen",
	"mark":        "knows no projects",
	"channel":     "knows no projects",
	"turn":        "knows no projects",
	"session":     "names projects by their slugs: see Rescope",
	"idempotency": "answers as they were given",
	"policy":      "worked out anew", "route": "worked out anew", "frontier": "worked out anew", "tally": "worked out anew",
	"touch": "worked out anew", "actor": "worked out anew", "words": "worked out anew", "fresh": "worked out anew",
}

// Merge moves everything of a project into another and recomputes what is derived from the records
// there. The numbers of its tasks grow by shift. Tasks without a parent get the task under as
// parent, if given. It needs a turn of its own.
func Merge(tx *store.Tx, from, into string, under task.ID) (shift int64, err error) {
	a, b, err := both(tx, from, into)
	if err != nil {
		return 0, err
	}
	var parent int64
	if under != "" {
		if _, parent, err = tx.KeyOf(under); err != nil {
			return 0, err
		}
	}
	shift = b.Rec.NextNumber - 1
	by := b.Ref(shift) - a.Ref(0) // of keys
	if err := moveRecords(tx, a, b, by, parent); err != nil {
		return 0, err
	}
	if err := dropProject(tx, a); err != nil {
		return 0, err
	}
	if err := leadTo(tx, a, b, shift); err != nil {
		return 0, err
	}
	tx.Touch(b)
	b.Rec.NextNumber += a.Rec.NextNumber - 1
	b.Rec.UpdatedAt = tx.Now()
	clear(tx.Fresh)
	return shift, recount.Complete(tx, b)
}

// moveRecords moves the rows of every table of records.
func moveRecords(tx *store.Tx, a, b *store.Project, by, parent int64) error {
	all, err := everyTable(store.Schema())
	if err != nil {
		return err
	}
	if err := joinSeen(tx, a, b); err != nil { // while projects still tell the waiting items apart
		return err
	}
	at := slices.IndexFunc(all, func(t *table) bool { return t.name == "task" })
	if err := copyTasks(tx, all[at], a, b, by, parent); err != nil {
		return err
	}
	lo, hi := a.Span()
	tx.Exec(db.Any, `UPDATE seen SET task=task+$3 WHERE task BETWEEN $1 AND $2`, lo, hi, by)
	for _, sql := range []string{
		`DELETE FROM linked WHERE project=$1 AND system IN (SELECT o.system FROM linked o WHERE o.project=$2)`,
		`UPDATE linked SET project=$2 WHERE project=$1`,
	} {
		tx.Exec(db.Any, sql, a.ID, b.ID)
	}
	for _, t := range all {
		if merged[t.name] != "" {
			continue
		}
		if err := moveRows(tx, t, a, b, by); err != nil {
			return err
		}
	}
	return tx.C.Exec(db.Any, `DELETE FROM task WHERE id BETWEEN $1 AND $2`, lo, hi)
}

// moveRows moves the rows of a table that refer to a project, or to its tasks.
func moveRows(tx *store.Tx, t *table, a, b *store.Project, by int64) error {
	args, sets := []any{a.ID}, []string{}
	for _, name := range []string{"task", "on_task"} {
		if slices.Contains(t.names(), name) {
			args = append(args, by)
			sets = append(sets, fmt.Sprintf("%s=CASE WHEN %s>0 THEN %s+$%d ELSE 0 END", name, name, name, len(args)))
		}
	}
	if slices.Contains(t.names(), "project") {
		args = append(args, b.ID)
		sets = append(sets, fmt.Sprintf("project=$%d", len(args)))
	}
	return tx.C.Exec(db.Any, "UPDATE "+t.name+" SET "+strings.Join(sets, ", ")+" WHERE "+t.scope(), args...)
}

// copyTasks writes the tasks of a project under their keys in another.
func copyTasks(tx *store.Tx, t *table, a, b *store.Project, by, parent int64) error {
	give := make([]string, len(t.columns))
	for i, c := range t.columns {
		switch c.name {
		case "id":
			give[i] = "t.id+$4"
		case "project":
			give[i] = "CAST($2 AS BIGINT)"
		case "key":
			give[i] = "CASE WHEN EXISTS (SELECT 1 FROM task o WHERE o.project=$2 AND o.key=t.key) THEN " + taken + " ELSE t.key END"
		case "parent":
			give[i] = "COALESCE(t.parent+$4, NULLIF(CAST($5 AS BIGINT), 0))"
		default:
			give[i] = "t." + c.name
		}
	}
	return tx.C.Exec(db.Any, "INSERT INTO task ("+strings.Join(t.names(), ", ")+") SELECT "+strings.Join(give, ", ")+" FROM task t WHERE t.project=$1",
		a.ID, b.ID, a.Rec.Slug, by, parent)
}

// dropProject removes a project whose records have moved, with what was derived from them.
func dropProject(tx *store.Tx, p *store.Project) error {
	tx.Places.Delete(p.ID)
	for _, name := range []string{"tally", "touch", "actor", "runner"} {
		tx.Exec(db.Any, `DELETE FROM `+name+` WHERE project=$1`, p.ID)
	}
	if err := tx.C.DropWords(p.ID); err != nil {
		return err
	}
	slug := p.Rec.Slug
	delete(tx.Cache, slug)
	tx.Turn.Undo(func() { tx.Cache[slug] = p })
	return tx.C.Exec(1, `DELETE FROM project WHERE id=$1`, p.ID)
}

// leadTo makes the slugs of a project lead to another.
func leadTo(tx *store.Tx, a, b *store.Project, shift int64) error {
	tx.Exec(db.Any, `UPDATE former SET project=$2, shift=shift+$3, next_n=CASE WHEN next_n>0 THEN next_n ELSE $4 END WHERE project=$1`,
		a.ID, b.ID, shift, a.Rec.NextNumber)
	return tx.C.Exec(1, `INSERT INTO former (slug, project, next_n, shift) VALUES ($1,$2,$3,$4)`, a.Rec.Slug, b.ID, a.Rec.NextNumber, shift)
}
