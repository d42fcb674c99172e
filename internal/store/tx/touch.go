package tx

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/glob/syntax"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Starts returns what the table touch has of a task, in order: nothing where nobody holds it.
func Starts(t *task.Task) []string {
	if t == nil || t.Claim == nil || len(t.Touches) == 0 {
		return nil
	}
	return syntax.Starts(t.Touches)
}

// touch stores where the globs of a held task begin, for the tasks that may touch the same paths.
func (w *Member) touch(p *Project, before, after *task.Task) error {
	old, now := Starts(before), Starts(after)
	if slices.Equal(old, now) {
		return nil
	}
	key := p.KeyOf(after)
	for _, s := range old {
		if !slices.Contains(now, s) {
			if err := w.C.Exec(1, `DELETE FROM touch WHERE project=$1 AND start=$2 AND task=$3`, p.ID, s, key); err != nil {
				return err
			}
		}
	}
	for _, s := range now {
		if !slices.Contains(old, s) {
			if err := w.C.Exec(1, insertTouch, p.ID, s, key); err != nil {
				return err
			}
		}
	}
	return nil
}

const insertTouch = `INSERT INTO touch (project, start, task) VALUES ($1,$2,$3)`

// FillTouch stores where the globs of all held tasks begin, in a database that is from before there was a table for it.
func FillTouch(c db.Conn) error {
	starts := map[int64][]string{}
	err := c.Query(`SELECT id, touches FROM task WHERE holder IS NOT NULL AND touches<>''`, nil, db.Scan2(func(key int64, touches string) error {
		globs, err := rows.DecodeTexts(touches)
		starts[key] = syntax.Starts(globs)
		return err
	}))
	if err != nil {
		return err
	}
	for _, key := range sortedKeys(starts) {
		for _, s := range starts[key] {
			if err := c.Exec(1, insertTouch, rows.ProjectOf(key), s, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// heldIn returns the keys of up to limit held tasks of a project whose globs begin in one of the starts, above it or
// below it, by number, and whether there may be more. Their leases may have run out. It is one statement, whose lists have
// a few lengths, so that it stays prepared.
func (r *Tx) heldIn(p *Project, starts []string, limit int) (keys []int64, more bool, err error) {
	var above []string
	for _, s := range starts {
		above = append(above, syntax.Above(s)...)
	}
	slices.Sort(above)
	most := 2*limit + 1 // some have several starts
	err = db.Batches(slices.Compact(above), func(run []any) error {
		// One select a directory: given a list of them, PostgreSQL may go through all that a project holds.
		sql, args := []byte(nil), append([]any{p.ID}, run...)
		for i := range run {
			if i > 0 {
				sql = append(sql, ` UNION `...)
			}
			sql = append(sql, `SELECT task FROM touch WHERE project=$1 AND start=$`+strconv.Itoa(i+2)...)
		}
		for i := range ranges(len(starts)) {
			s := starts[min(i, len(starts)-1)]
			n := len(args)
			sql = append(sql, ` UNION SELECT task FROM touch WHERE project=$1 AND start>$`+strconv.Itoa(n+1)+` AND start<$`+strconv.Itoa(n+2)...)
			args = append(args, s, end(s))
		}
		return r.C.Query(string(sql)+` LIMIT `+strconv.Itoa(most), args, db.Scan1(func(key int64) error { keys = append(keys, key); return nil }))
	})
	slices.Sort(keys)
	keys = slices.Compact(keys)
	return keys[:min(len(keys), limit)], len(keys) > limit, err
}

// ranges returns how many ranges a statement has for n of them: a power of two.
func ranges(n int) int {
	out := 1
	for out < n {
		out *= 2
	}
	return out
}

// end returns what everything stands before that begins in a start.
func end(start string) string {
	if start == "" {
		return "\U0010ffff"
	}
	return start[:len(start)-1] + "0" // the character after the slash
}

// Touching returns the held tasks of a project whose globs begin in one of the starts, above it or below it, by number:
// at most limit, and without the task but. more reports whether there are others.
func (r *Tx) Touching(slug string, starts []string, but task.ID, limit int) (out []*task.Task, more bool, err error) {
	p, err := r.Find(slug)
	if err != nil {
		return nil, false, err
	}
	keys, more, err := r.heldIn(p, starts, limit+1)
	if err != nil {
		return nil, false, err
	}
	_, n, _ := task.ParseID(string(but))
	keys = slices.DeleteFunc(keys, func(key int64) bool { return key == p.Ref(n) })
	if more = more || len(keys) > limit; len(keys) > limit {
		keys = keys[:limit]
	}
	s := rows.Scanner{Slug: slug}
	err = db.Batches(keys, func(run []any) error {
		return r.C.Query(`SELECT `+rows.TouchingTaskColumns+` FROM task WHERE (expires_at=0 OR expires_at+0>$1) AND id IN `+db.In(2, len(run))+` ORDER BY id`,
			append([]any{r.Head.Now}, run...), func(row db.Row) error {
				t := &task.Task{Status: task.InProgress}
				out = append(out, t)
				return rows.ReadTouchingTask(&s, row, t)
			})
	})
	return out, more, err
}
