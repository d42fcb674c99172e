package linkdb

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/links/merge"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Conflicts returns up to limit disagreements of a project in a state, oldest first, and how many there are.
func Conflicts(tx *store.Tx, project string, state merge.State, limit int) ([]merge.Disagreement, int, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, 0, err
	}
	total, err := count(tx, `SELECT COUNT(*) FROM conflict WHERE project=$1 AND state=$2`, p.ID, string(state))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	out, err := conflicts(tx, `project=$1 AND state=$2 ORDER BY event LIMIT `+strconv.Itoa(limit), p.ID, string(state))
	return out, total, err
}

func count(tx *store.Tx, sql string, args ...any) (n int, err error) {
	err = tx.C.Query(sql, args, db.Scan1(func(found int64) error { n = int(found); return nil }))
	return n, err
}

// Conflict returns a disagreement, or not found.
func Conflict(tx *store.Tx, id int64) (merge.Disagreement, error) {
	found, err := conflicts(tx, `id=$1`, id)
	if err == nil && (len(found) == 0 || tx.Hides(found[0].Project)) {
		err = fault.Missing("there is no conflict %d", id).WithHint("list them: %s", hint.Here("conflicts"))
	}
	if err != nil {
		return merge.Disagreement{}, err
	}
	return found[0], nil
}

// Unresolved returns the disagreements about a binding that are open or deferred, by field.
func Unresolved(tx *store.Tx, binding int64) (map[string]merge.Disagreement, error) {
	found, err := conflicts(tx, `binding=$1 AND state IN ('open','deferred') ORDER BY id`, binding)
	out := make(map[string]merge.Disagreement, len(found))
	for _, d := range found {
		out[d.Field] = d
	}
	return out, err
}

func conflicts(tx *store.Tx, where string, args ...any) ([]merge.Disagreement, error) {
	return records(tx, `conflict WHERE `+where, args,
		func(d *merge.Disagreement, id int64, state string) { d.ID, d.State = id, merge.State(state) },
		func(d *merge.Disagreement, slug string, id task.ID) { d.Project, d.Task = slug, id })
}

// records reads disagreements or outbound writes: begin is given what has columns of its own, and end, once all rows are read, the
// project and the task.
func records[T any](tx *store.Tx, from string, args []any, begin func(r *T, id int64, state string), end func(r *T, slug string, id task.ID)) ([]T, error) {
	var out []T
	var projects, refs []int64
	err := tx.C.Query(`SELECT id, project, task, state, detail FROM `+from, args,
		db.Scan5(func(id, project, ref int64, state string, detail []byte) error {
			var r T
			begin(&r, id, state)
			err := json.Unmarshal(detail, &r)
			out, projects, refs = append(out, r), append(projects, project), append(refs, ref)
			return err
		}))
	if err != nil || len(out) == 0 {
		return nil, err
	}
	slugs, err := tx.SlugsOf(projects)
	if err != nil {
		return out, err
	}
	for i, project := range projects {
		p, err := tx.Loaded(slugs[project])
		if err != nil {
			return out, err
		}
		end(&out[i], p.Rec.Slug, p.TaskID(refs[i]))
	}
	return out, nil
}

// AddConflict stores a new disagreement. Its id is that of its event.
func AddConflict(tx *store.Tx, d merge.Disagreement, ev task.Draft) (int64, error) {
	p, ref, err := tx.KeyOf(d.Task)
	if err != nil {
		return 0, err
	}
	id, err := tx.Append(p.Rec.Slug, d.Task, ev)
	if err != nil {
		return 0, err
	}
	detail, err := encoded(d)
	if err != nil {
		return 0, err
	}
	return id, tx.C.Exec(1, `INSERT INTO conflict (id, project, task, binding, state, event, detail) VALUES ($1,$2,$3,$4,$5,$6,$7)`,
		id, p.ID, ref, d.Binding, string(d.State), id, detail)
}

// SaveConflict replaces a disagreement, with its event, from which the inbox counts.
func SaveConflict(tx *store.Tx, d merge.Disagreement, ev task.Draft) error {
	p, _, err := tx.KeyOf(d.Task)
	if err != nil {
		return err
	}
	event, err := tx.Append(p.Rec.Slug, d.Task, ev)
	if err != nil {
		return err
	}
	detail, err := encoded(d)
	if err != nil {
		return err
	}
	return tx.C.Exec(1, `UPDATE conflict SET state=$2, event=$3, detail=$4 WHERE id=$1`, d.ID, string(d.State), event, detail)
}

// Writes returns up to limit outbound writes of a project past one, by id, and how many there are; in one state, or in any.
func Writes(tx *store.Tx, project string, state merge.WriteState, after int64, limit int) ([]merge.Write, int, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, 0, err
	}
	where, args := `project=$1`, []any{p.ID}
	if state != "" {
		where, args = where+` AND state=$2`, append(args, string(state))
	}
	total, err := count(tx, `SELECT COUNT(*) FROM outbound WHERE `+where, args...)
	if err != nil || total == 0 {
		return nil, 0, err
	}
	args = append(args, after)
	out, err := writes(tx, where+` AND id>$`+strconv.Itoa(len(args))+` ORDER BY id LIMIT `+strconv.Itoa(limit), args...)
	return out, total, err
}

// Write returns an outbound write, or not found.
func Write(tx *store.Tx, id int64) (merge.Write, error) {
	found, err := writes(tx, `id=$1`, id)
	if err == nil && (len(found) == 0 || tx.Hides(found[0].Project)) {
		err = fault.Missing("there is no outbound write %d", id).WithHint("list them: %s", hint.Here("sync plan"))
	}
	if err != nil {
		return merge.Write{}, err
	}
	return found[0], nil
}

// WritesOf returns the outbound writes of a binding, by field.
func WritesOf(tx *store.Tx, binding int64) (map[string]merge.Write, error) {
	found, err := writes(tx, `binding=$1 ORDER BY id`, binding)
	out := make(map[string]merge.Write, len(found))
	for _, w := range found {
		out[w.Field] = w
	}
	return out, err
}

func writes(tx *store.Tx, where string, args ...any) ([]merge.Write, error) {
	return records(tx, `outbound WHERE `+where, args,
		func(w *merge.Write, id int64, state string) { w.ID, w.State = id, merge.WriteState(state) },
		func(w *merge.Write, slug string, id task.ID) { w.Project, w.Task = slug, id })
}

// SaveWrite stores an outbound write, a new one under the id of its event.
func SaveWrite(tx *store.Tx, o merge.Write, ev ...task.Draft) (int64, error) {
	p, ref, err := tx.KeyOf(o.Task)
	if err != nil {
		return 0, err
	}
	event := int64(0)
	for _, d := range ev {
		if event, err = tx.Append(p.Rec.Slug, o.Task, d); err != nil {
			return 0, err
		}
	}
	detail, err := encoded(o)
	if err != nil {
		return 0, err
	}
	if o.ID == 0 {
		return event, tx.C.Exec(1, `INSERT INTO outbound (id, project, task, binding, state, detail) VALUES ($1,$2,$3,$4,$5,$6)`,
			event, p.ID, ref, o.Binding, string(o.State), detail)
	}
	return o.ID, tx.C.Exec(1, `UPDATE outbound SET state=$2, detail=$3 WHERE id=$1`, o.ID, string(o.State), detail)
}

// EndWrite removes an outbound write: it was sent, or is no longer wanted.
func EndWrite(tx *store.Tx, o merge.Write, ev ...task.Draft) error {
	p, _, err := tx.KeyOf(o.Task)
	if err != nil {
		return err
	}
	if err := tx.C.Exec(1, `DELETE FROM outbound WHERE id=$1`, o.ID); err != nil {
		return err
	}
	return tx.AppendEach(p.Rec.Slug, o.Task, ev...)
}
