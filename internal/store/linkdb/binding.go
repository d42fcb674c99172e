package linkdb

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/search"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// BindingsIn returns up to limit bindings of a project to a system, by id, after a given one. It
// finds them through their tasks: both planners prefer the indexes by system and by id, which scan
// the bindings of every other project.
func BindingsIn(tx *store.Tx, project, system string, after int64, limit int) ([]task.Binding, error) {
	return bindings(tx, project, `system||''=$3 AND id+0>$4 ORDER BY id+0 LIMIT `+strconv.Itoa(limit), system, after)
}

// BindingsTo returns the bindings of a project to one record of a system, by id.
func BindingsTo(tx *store.Tx, project, system, ref string) ([]task.Binding, error) {
	return bindings(tx, project, `system=$3 AND ref=$4 ORDER BY id`, system, ref)
}

func bindings(tx *store.Tx, project, where string, args ...any) ([]task.Binding, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, err
	}
	lo, hi := p.Span()
	return db.All(tx.C, `SELECT `+rows.BindingColumns+` FROM binding WHERE task BETWEEN $1 AND $2 AND `+where, append([]any{lo, hi}, args...),
		rows.Of(p.Rec.Slug, rows.ReadBinding))
}

// Basis returns what both sides of a binding agreed on.
func Basis(tx *store.Tx, binding int64) (out merge.Basis, err error) {
	err = tx.C.Query(`SELECT detail FROM agreed WHERE binding=$1`, []any{binding}, db.Scan1(func(detail []byte) error {
		return json.Unmarshal(detail, &out)
	}))
	if out.Pairs == nil {
		out.Pairs = map[string]merge.Pair{}
	}
	return out, err
}

// AddBinding stores a binding of a task. It gets the id of its event.
func AddBinding(tx *store.Tx, t *task.Task, b task.Binding) (task.Binding, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return b, err
	}
	b.Task = t.ID
	payload := task.Payload{"system": b.System, "kind": b.Kind, "ref": b.Ref, "url": b.URL}
	if b.ID, err = tx.Append(p.Rec.Slug, t.ID, task.Draft{Kind: task.BindingAdded, Payload: payload}); err != nil {
		return b, err
	}
	tx.Exec(1, rows.InsertBinding, rows.BindingValues(ref, &b)...)
	tx.IndexText(store.Indexed{Kind: search.Binding, Task: ref, ID: b.ID, Texts: []string{b.Kind, b.Ref, string(b.URL)}})
	t.BindingCount++
	bound(tx, ref, 1)
	return b, nil
}

func bound(tx *store.Tx, ref int64, by int) {
	delete(tx.Fresh, ref)
	tx.Exec(1, `UPDATE task SET bound=bound+$2 WHERE id=$1`, ref, by)
}

// RemoveBinding removes a binding with everything stored about it.
func RemoveBinding(tx *store.Tx, b task.Binding) error {
	p, ref, err := tx.KeyOf(b.Task)
	if err != nil {
		return err
	}
	for _, table := range []string{"agreed", "conflict", "outbound"} {
		tx.Exec(db.Any, `DELETE FROM `+table+` WHERE binding=$1`, b.ID)
	}
	tx.Exec(1, `DELETE FROM binding WHERE id=$1`, b.ID)
	tx.UnindexText(store.Indexed{Kind: search.Binding, Task: ref, ID: b.ID})
	bound(tx, ref, -1)
	return tx.Record(p.Rec.Slug, b.Task, task.Draft{Kind: task.BindingRemoved, Payload: task.Payload{
		"system": b.System, "kind": b.Kind, "ref": b.Ref, "url": b.URL,
	}})
}

// SaveBasis stores what both sides of a binding agree on now, and when it was seen; the events
// record the results.
func SaveBasis(tx *store.Tx, b task.Binding, basis merge.Basis, ev ...task.Draft) error {
	p, ref, err := tx.KeyOf(b.Task)
	if err != nil {
		return err
	}
	detail, err := encoded(basis)
	if err != nil {
		return err
	}
	tx.Exec(1, `INSERT INTO agreed (binding, task, detail) VALUES ($1,$2,$3) ON CONFLICT (binding) DO UPDATE SET detail=excluded.detail`,
		b.ID, ref, detail)
	tx.Exec(1, `UPDATE binding SET state=$2, synced_at=$3 WHERE id=$1`, b.ID, string(b.State), int64(tx.Now()))
	return tx.Record(p.Rec.Slug, b.Task, ev...)
}
