package linkdb

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// Conflicts returns up to limit disagreements of a project in a state, oldest first, and how many
// there are.
func Conflicts(tx *store.Tx, project string, state merge.State, limit int) ([]merge.Disagreement, int, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, 0, err
	}
	total, err := db.Value[int](tx.C, `SELECT COUNT(*) FROM conflict WHERE project=$1 AND state=$2`, p.ID, string(state))
	if err != nil || total == 0 {
		return nil, 0, err
	}
	out, err := conflicts(tx, `project=$1 AND state=$2 ORDER BY event LIMIT `+strconv.Itoa(limit), p.ID, string(state))
	return out, total, err
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

// Unresolved returns the open and deferred disagreements of a binding, by field.
func Unresolved(tx *store.Tx, binding int64) (map[string]merge.Disagreement, error) {
	found, err := conflicts(tx, `binding=$1 AND state IN ('open','deferred') ORDER BY id`, binding)
	out := make(map[string]merge.Disagreement, len(found))
	for _, d := range found {
		out[d.Field] = d
	}
	return out, err
}

func conflicts(tx *store.Tx, where string, args ...any) ([]merge.Disagreement, error) {
	return records(tx, `conflict`, where, args, func(id int64, state, slug string, of task.ID) merge.Disagreement {
		return merge.Disagreement{ID: id, State: merge.State(state), Project: slug, Task: of}
	})
}

// records reads records of a table whose detail is JSON. fresh returns one filled from the other
// columns.
func records[T any](tx *store.Tx, table, where string, args []any, fresh func(id int64, state, slug string, of task.ID) T) (out []T, err error) {
	err = tx.C.Query(`SELECT id, (SELECT p.slug FROM project p WHERE p.id=`+table+`.project), task, state, detail FROM `+table+` WHERE `+where, args,
		db.Scan5(func(id int64, slug string, ref int64, state string, detail []byte) error {
			out = append(out, fresh(id, state, slug, task.MakeID(slug, rows.Number(ref))))
			return json.Unmarshal(detail, &out[len(out)-1])
		}))
	return out, err
}

// SaveConflict stores a disagreement, with its event. A new one gets the id of the event; the inbox
// dates it by the event.
func SaveConflict(tx *store.Tx, d merge.Disagreement, ev task.Draft) error {
	p, ref, err := tx.KeyOf(d.Task)
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
	if d.ID == 0 {
		return tx.C.Exec(1, `INSERT INTO conflict (id, project, task, binding, state, event, detail) VALUES ($1,$2,$3,$4,$5,$6,$7)`,
			event, p.ID, ref, d.Binding, string(d.State), event, detail)
	}
	return tx.C.Exec(1, `UPDATE conflict SET state=$2, event=$3, detail=$4 WHERE id=$1`, d.ID, string(d.State), event, detail)
}

// Writes returns up to limit outbound writes of a project, by id, after a given one, and how many
// there are; in one state, or in any.
func Writes(tx *store.Tx, project string, state merge.WriteState, after int64, limit int) ([]merge.Write, int, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, 0, err
	}
	where, args := `project=$1`, []any{p.ID}
	if state != "" {
		where, args = where+` AND state=$2`, append(args, string(state))
	}
	total, err := db.Value[int](tx.C, `SELECT COUNT(*) FROM outbound WHERE `+where, args...)
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
	return records(tx, `outbound`, where, args, func(id int64, state, slug string, of task.ID) merge.Write {
		return merge.Write{ID: id, State: merge.WriteState(state), Project: slug, Task: of}
	})
}

// SaveWrite stores an outbound write. A new one gets the id of its event.
func SaveWrite(tx *store.Tx, o merge.Write, ev ...task.Draft) error {
	p, ref, err := tx.KeyOf(o.Task)
	if err != nil {
		return err
	}
	event, err := tx.AppendAll(p.Rec.Slug, o.Task, ev)
	if err != nil {
		return err
	}
	detail, err := encoded(o)
	if err != nil {
		return err
	}
	if o.ID == 0 {
		return tx.C.Exec(1, `INSERT INTO outbound (id, project, task, binding, state, detail) VALUES ($1,$2,$3,$4,$5,$6)`,
			event, p.ID, ref, o.Binding, string(o.State), detail)
	}
	return tx.C.Exec(1, `UPDATE outbound SET state=$2, detail=$3 WHERE id=$1`, o.ID, string(o.State), detail)
}

// EndWrite removes an outbound write that was sent or is no longer wanted.
func EndWrite(tx *store.Tx, o merge.Write, ev ...task.Draft) error {
	tx.Exec(1, `DELETE FROM outbound WHERE id=$1`, o.ID)
	return tx.Record(o.Project, o.Task, ev...)
}
