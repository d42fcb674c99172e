package workspace

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Landings returns where the work on closed tasks was at the last check after they were closed. It
// leaves out tasks without such a check.
func Landings(tx *store.Tx, tasks []*task.Task) (map[task.ID]*Landing, error) {
	out, refs := map[task.ID]*Landing{}, make([]int64, 0, len(tasks))
	by := make(map[int64]*task.Task, len(tasks))
	for _, t := range tasks {
		_, ref, err := tx.KeyOf(t.ID)
		if err != nil {
			return nil, err
		}
		refs, by[ref] = append(refs, ref), t
	}
	return out, db.EachIn(tx.C, `SELECT task, closed_at, detail FROM landing WHERE task IN KEYS ORDER BY task`, refs,
		db.Scan3(func(ref, closed int64, detail string) error {
			t := by[ref]
			if task.Time(closed) != t.ClosedAt {
				return nil
			}
			l := &Landing{Task: t.ID}
			out[t.ID] = l
			return json.Unmarshal([]byte(detail), l)
		}))
}

// unlanded returns up to limit tasks of a project, newest first, whose work was not on its base at
// the last check.
func unlanded(tx *store.Tx, project string, limit int) ([]task.ID, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT task FROM landing WHERE project=$1 AND landed=0 ORDER BY task DESC LIMIT $2`, []any{p.ID, limit}, db.Read1(p.TaskID))
}

// UnlandedFirst returns up to limit done tasks of a project whose work was not on its base at the last check, the one that
// was closed first before the others.
func UnlandedFirst(tx *store.Tx, project string, limit int) ([]*task.Task, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, err
	}
	ids, err := db.All(tx.C, `SELECT l.task`+notLanded+` ORDER BY l.closed_at, l.task LIMIT $2`, []any{p.ID, limit}, db.Read1(p.TaskID))
	if err != nil {
		return nil, err
	}
	return tx.TasksByID(ids)
}

// UnlandedTimes returns when the tasks that UnlandedFirst returns were closed, without reading them.
func UnlandedTimes(tx *store.Tx, project string, limit int) ([]task.Time, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, `SELECT l.closed_at`+notLanded+` ORDER BY l.closed_at, l.task LIMIT $2`, []any{p.ID, limit},
		db.Read1(func(at int64) task.Time { return task.Time(at) }))
}

// notLanded is where done tasks of a project are whose work was not on its base at the last check.
const notLanded = ` FROM landing l JOIN task t ON t.id=l.task WHERE l.project=$1 AND l.landed=0 AND t.status='done' AND t.closed_at=l.closed_at`

// Reviewed returns, of the first limit tasks of a project that are in review, those that have a workspace or are bound to
// something of another system, which may be a branch.
func Reviewed(tx *store.Tx, project string, limit int) ([]*task.Task, error) {
	p, err := tx.Find(project)
	if err != nil {
		return nil, err
	}
	ids, err := db.All(tx.C, `SELECT r.id FROM (SELECT id, bound FROM task WHERE project=$1 AND holder IS NULL AND `+rows.StateStored+`=`+strconv.Itoa(int(task.StateInReview))+`
		ORDER BY id LIMIT $2) r WHERE r.bound>0 OR EXISTS (SELECT 1 FROM workspace w WHERE w.task=r.id) ORDER BY r.id`, []any{p.ID, limit}, db.Read1(p.TaskID))
	if err != nil {
		return nil, err
	}
	return tx.TasksByID(ids)
}

// saveLanding stores where the work on a closed task is, with its events.
func saveLanding(tx *store.Tx, t *task.Task, l *Landing, ev ...task.Draft) error {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return err
	}
	detail, err := json.Marshal(l, json.Deterministic(true))
	if err != nil {
		return err
	}
	tx.Exec(1, `INSERT INTO landing (task, project, landed, closed_at, detail) VALUES ($1,$2,$3,$4,$5)
		ON CONFLICT (task) DO UPDATE SET landed=excluded.landed, closed_at=excluded.closed_at, detail=excluded.detail`,
		ref, p.ID, l.HasLanded(), int64(t.ClosedAt), string(detail))
	return tx.Record(p.Rec.Slug, t.ID, ev...)
}
