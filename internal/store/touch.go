package store

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/glob"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// touch stores where the globs that a task occupies begin, to find tasks that may touch the same paths.
func (tx *Tx) touch(p *Project, t *task.Task, was, is []string) {
	old, now := glob.Starts(was), glob.Starts(is)
	key := p.KeyOf(t)
	if gone := without(old, now); len(gone) > 0 {
		tx.Exec(len(gone), `DELETE FROM touch WHERE project=$1 AND task=$2 AND start IN `+db.In(3, len(gone)), db.Args(gone, p.ID, key)...)
	}
	insertTouch(tx.C, p.ID, key, without(now, old))
}

// without returns what is in a and not in b.
func without[T comparable](a, b []T) []T {
	return slices.DeleteFunc(slices.Clone(a), func(v T) bool { return slices.Contains(b, v) })
}

// insertTouch stores the starts of a task in one statement. A task has few, so there are few different statements.
func insertTouch(c db.Conn, project, key int64, starts []string) {
	if len(starts) == 0 {
		return
	}
	values := make([]string, len(starts))
	for i := range starts {
		values[i] = `($1,$2,$` + strconv.Itoa(i+3) + `)`
	}
	db.Exec(c, len(starts), `INSERT INTO touch (project, task, start) VALUES `+strings.Join(values, `,`), db.Args(starts, project, key)...)
}

// RestoreStarts replaces the stored starts of a task's globs.
func RestoreStarts(c db.Conn, project, key int64, starts []string) {
	db.Exec(c, db.Any, `DELETE FROM touch WHERE project=$1 AND task=$2`, project, key)
	insertTouch(c, project, key, starts)
}

// FillTouch stores where the globs of all held tasks begin, in a database from before the table existed.
func FillTouch(c db.Conn) error {
	held, err := db.Pairs[int64, string](c, `SELECT id, touches FROM task WHERE holder IS NOT NULL AND touches<>''`)
	if err != nil {
		return err
	}
	for _, key := range sortedKeys(held) {
		globs, err := rows.DecodeTexts(held[key])
		if err != nil {
			return err
		}
		insertTouch(c, rows.ProjectOf(key), key, glob.Starts(globs))
	}
	return nil
}

// heldIn returns the keys of up to limit held tasks of a project whose globs may overlap the prefixes in starts, by
// number, and whether there may be more. Their leases may have run out.
func (tx *Tx) heldIn(p *Project, starts []string, limit int) (keys []int64, more bool, err error) {
	if len(starts) == 0 {
		return nil, false, nil
	}
	rows := 2*limit + 1 // some have several starts
	keys, err = tx.begunIn(p, starts, ` UNION ALL `, rows)
	full := len(keys) >= rows
	keys = distinctKeys(keys)
	if full && len(keys) <= limit { // a few tasks with many starts took all the room
		keys, err = tx.begunIn(p, starts, ` UNION `, limit+1)
		keys = distinctKeys(keys)
	}
	return keys[:min(len(keys), limit)], len(keys) > limit, err
}

// begunIn returns the tasks in the table touch whose globs begin above or inside some starts. It is usually one
// statement, whose lists have a few fixed lengths, so that it stays prepared. all joins its selects, one for each
// directory: given a list of them, PostgreSQL may read everything that is held in the project.
func (tx *Tx) begunIn(p *Project, starts []string, all string, limit int) (keys []int64, err error) {
	first := true
	ask := func(above []any) error {
		const begun = `SELECT task FROM touch WHERE project=$1 AND start`
		var each []string
		args := params{p.ID}
		for _, s := range above {
			each = append(each, begun+`=`+args.add(s))
		}
		for i := range rangesOf(len(starts)) {
			if s := starts[min(i, len(starts)-1)]; first {
				each = append(each, begun+`>=`+args.add(s)+` AND start<`+args.add(endOf(s)))
			}
		}
		first = false
		some, err := db.Values[int64](tx.C, strings.Join(each, all)+` LIMIT `+strconv.Itoa(limit), args...)
		keys = append(keys, some...)
		return err
	}
	above := strictlyAbove(starts)
	if len(above) == 0 {
		err = ask(nil)
	} else {
		err = db.Batches(above, ask)
	}
	return keys, err
}

// strictlyAbove returns the prefixes that lie above some starts, without the starts themselves, in order.
func strictlyAbove(starts []string) []string {
	var above []string
	for _, s := range starts {
		above = append(above, glob.Above(s)...)
	}
	slices.Sort(above)
	return without(slices.Compact(above), starts)
}

// distinctKeys sorts keys and removes duplicates.
func distinctKeys(keys []int64) []int64 {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// rangesOf returns how many ranges a statement has for n of them: a power of two.
func rangesOf(n int) int {
	return 1 << bits.Len(uint(n-1))
}

// endOf returns the end of the range of texts that begin with a start.
func endOf(start string) string {
	if start == "" {
		return "\U0010ffff"
	}
	return start[:len(start)-1] + "0" // the character after the slash
}

// Touching returns the held tasks of a project, except the task but, whose globs may overlap the prefixes in starts, by
// number and at most limit. more reports whether there are others.
func (tx *Tx) Touching(slug string, starts []string, but task.ID, limit int) (out []*task.Task, more bool, err error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, false, err
	}
	keys, more, err := tx.heldIn(p, starts, limit+1)
	if err != nil {
		return nil, false, err
	}
	keys = slices.DeleteFunc(keys, func(key int64) bool { return key == rows.KeyIn(p.ID, but) })
	if more = more || len(keys) > limit; len(keys) > limit {
		keys = keys[:limit]
	}
	out, err = db.AllIn(tx.C, `SELECT `+rows.TouchingTaskColumns+` FROM task WHERE (expires_at=0 OR expires_at+0>$1) AND id IN KEYS ORDER BY id`, keys,
		rows.TaskOf(slug, rows.ReadTouchingTask), tx.Head.Now)
	for _, t := range out {
		t.Status = task.InProgress
	}
	return out, more, err
}
