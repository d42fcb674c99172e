package store

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/task"
)

// SaveChanged replaces the recorded paths that a task in review, or a done one, changed; nil means that nothing is
// known.
func (tx *Tx) SaveChanged(t *task.Task, c *task.ChangedPaths) error {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return err
	}
	tx.Exec(db.Any, `DELETE FROM changed_path WHERE task=$1`, ref)
	if c == nil {
		tx.Exec(db.Any, `DELETE FROM changed WHERE task=$1`, ref)
		return nil
	}
	paths, err := json.Marshal(c.Paths)
	if err != nil {
		return err
	}
	tx.Exec(1, `INSERT INTO changed (task, project, closed_at, total, paths) VALUES ($1,$2,$3,$4,$5)
		ON CONFLICT (task) DO UPDATE SET closed_at=excluded.closed_at, total=excluded.total, paths=excluded.paths`,
		ref, p.ID, int64(t.ClosedAt), c.Total, string(paths))
	tx.indexChanged(p, ref, t, c)
	return nil
}

// indexChanged stores the paths of a done task, for Later.
func (tx *Tx) indexChanged(p *Project, ref int64, t *task.Task, c *task.ChangedPaths) {
	if t.Status != task.Done || len(c.Paths) == 0 {
		return
	}
	rows := make([][]any, len(c.Paths))
	for i, path := range c.Paths {
		rows[i] = []any{p.ID, path, int64(t.ClosedAt), ref}
	}
	db.Bulk(tx.C, "changed_path", []string{"project", "path", "closed_at", "task"}, rows)
}

// closeChanged makes what was recorded when a task was handed over for review count for its closing.
func (tx *Tx) closeChanged(p *Project, ref int64, after *task.Task) error {
	c, closed, err := tx.changed(ref)
	if err != nil || c == nil || closed != 0 {
		return err
	}
	tx.Exec(1, `UPDATE changed SET closed_at=$2 WHERE task=$1`, ref, int64(after.ClosedAt))
	tx.indexChanged(p, ref, after, c)
	return nil
}

// Changed returns what is recorded of the paths that a task in review, or a done one, changed; nil if nothing is.
func (tx *Tx) Changed(t *task.Task) (*task.ChangedPaths, error) {
	if t.Status != task.InReview && t.Status != task.Done {
		return nil, nil
	}
	_, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return nil, err
	}
	c, closed, err := tx.changed(ref)
	if task.Time(closed) != t.ClosedAt {
		return nil, err
	}
	return c, err
}

// RestoreChanged makes the last record of a task's paths count again, after an undo that brought the task back into
// review, or back to done.
func (tx *Tx) RestoreChanged(t *task.Task) error {
	if t.Status != task.InReview && t.Status != task.Done {
		return nil
	}
	_, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return err
	}
	c, _, err := tx.changed(ref)
	if err != nil || c == nil {
		return err
	}
	return tx.SaveChanged(t, c)
}

// changed returns the last record of a task's paths, if any, and the closing that it counts for.
func (tx *Tx) changed(ref int64) (c *task.ChangedPaths, closed int64, err error) {
	err = tx.C.Query(`SELECT closed_at, total, paths FROM changed WHERE task=$1`, []any{ref}, db.Scan3(func(at, total int64, paths string) error {
		c, closed = &task.ChangedPaths{Total: int(total)}, at
		return json.Unmarshal([]byte(paths), &c.Paths)
	}))
	return c, closed, err
}

// laterEach is how many closings are looked at for one path, so that a read costs the same however often a file is
// changed.
const laterEach = 20

// Later returns the work that was closed as done after a done task, and changed paths that the task changed; nil if there
// is none. Each path is a select of its own: given a list of them, PostgreSQL may read everything that is recorded.
func (tx *Tx) Later(t *task.Task, c *task.ChangedPaths) (*task.LaterWork, error) {
	if t.Status != task.Done || c == nil || len(c.Paths) == 0 {
		return nil, nil
	}
	p, err := tx.Find(t.Project)
	if err != nil {
		return nil, err
	}
	var met []task.Later
	more := false
	err = db.Batches(c.Paths, func(run []any) error {
		each := make([]string, 0, len(run))
		for i := range run {
			each = append(each, `SELECT * FROM (SELECT c.path, c.closed_at, c.task FROM changed_path c JOIN task t ON t.id=c.task AND t.closed_at=c.closed_at
				WHERE c.project=$1 AND c.path=$`+strconv.Itoa(i+3)+` AND c.closed_at>$2 ORDER BY c.closed_at, c.task LIMIT `+strconv.Itoa(laterEach)+`) AS p`+strconv.Itoa(i))
		}
		found := map[string]int{}
		return tx.C.Query(strings.Join(each, ` UNION `), append([]any{p.ID, int64(t.ClosedAt)}, run...),
			db.Each3(func(path string, closed, ref int64) {
				found[path]++
				more = more || found[path] == laterEach
				met = append(met, task.Later{Task: p.TaskID(ref), ClosedAt: task.Time(closed), Paths: []string{path}})
			}))
	})
	return task.LaterOf(met, more), err
}
