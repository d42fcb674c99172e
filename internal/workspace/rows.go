package workspace

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/rows"
	"tasker/internal/task"
)

// Find returns up to limit workspaces, by task and host: of a task, a project or a host. An empty
// field matches any.
func Find(tx *store.Tx, q Query, limit int) ([]*Workspace, error) {
	sql := `SELECT p.slug, w.task, w.host, w.state, w.detail FROM workspace w JOIN project p ON p.id=w.project WHERE 1=1`
	var args []any
	where := func(column string, value any) {
		args = append(args, value)
		sql += ` AND ` + column + `=$` + strconv.Itoa(len(args))
	}
	if q.Task != "" {
		_, ref, err := tx.KeyOf(q.Task)
		if err != nil {
			return nil, err
		}
		where("w.task", ref)
	}
	if q.Project != "" {
		p, err := tx.Find(q.Project)
		if err != nil {
			return nil, err
		}
		where("w.project", p.ID)
	}
	if q.Host != "" {
		where("w.host", q.Host)
	}
	args = append(args, limit)
	var out []*Workspace
	err := tx.C.Query(sql+` ORDER BY w.task, w.host LIMIT $`+strconv.Itoa(len(args)), args,
		db.Scan5(func(slug string, ref int64, host, state, detail string) error {
			id, err := taskID(tx, slug, ref)
			if err != nil {
				return err
			}
			out = append(out, &Workspace{Task: id, Host: host, State: State(state)})
			return json.Unmarshal([]byte(detail), out[len(out)-1])
		}))
	return out, err
}

// taskID returns the id of a task of a project that the caller sees.
func taskID(tx *store.Tx, slug string, ref int64) (task.ID, error) {
	if tx.Hides(slug) {
		return "", store.NoProject(slug)
	}
	return task.MakeID(slug, rows.Number(ref)), nil
}

// Newest returns of each of many tasks of a project the workspace that was opened last. Tasks without one are left out.
func Newest(tx *store.Tx, slug string, ids []task.ID) (map[task.ID]*Workspace, error) {
	p, refs, err := tx.FindKeys(slug, ids)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	newest := map[task.ID]*Workspace{}
	return newest, db.EachIn(tx.C, `SELECT task, detail FROM workspace WHERE task IN KEYS`, refs, db.Scan2(func(ref int64, detail string) error {
		w := &Workspace{Task: p.TaskID(ref)}
		if err := json.Unmarshal([]byte(detail), w); err != nil {
			return err
		}
		if had := newest[w.Task]; had == nil || w.OpenedAt > had.OpenedAt {
			newest[w.Task] = w
		}
		return nil
	}))
}

// Branches returns the branches of many tasks of a project, each from the task's workspace that was opened last. Tasks
// without a workspace, or whose workspace has no branch, are left out.
func Branches(tx *store.Tx, slug string, ids []task.ID) (map[task.ID]string, error) {
	newest, err := Newest(tx, slug, ids)
	out := make(map[task.ID]string, len(newest))
	for id, w := range newest {
		if w.Branch != "" {
			out[id] = w.Branch
		}
	}
	return out, err
}

// portsTaken returns the ports of a host that workspaces have, and the task of each.
func portsTaken(tx *store.Tx, host string) (map[int]task.ID, error) {
	out := map[int]task.ID{}
	err := tx.C.Query(`SELECT o.port, o.task, p.slug FROM port o JOIN workspace w ON w.task=o.task AND w.host=o.host JOIN project p ON p.id=w.project
		WHERE o.host=$1 ORDER BY o.port`, []any{host}, db.Scan3(func(port int, ref int64, slug string) (err error) {
		out[port], err = taskID(tx, slug, ref)
		return err
	}))
	return out, err
}

// add stores a new workspace with its ports. A port that another workspace has is a conflict.
func add(tx *store.Tx, ws *Workspace) error {
	p, ref, err := tx.KeyOf(ws.Task)
	if err != nil {
		return err
	}
	taken, err := db.AllIn(tx.C, `SELECT port FROM port WHERE host=$1 AND port IN KEYS ORDER BY port`, ws.Ports, db.Read1(func(port int) int { return port }), ws.Host)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		return fault.Stale("port %d of %s was taken in the meantime", taken[0], ws.Host).WithHint("try again")
	}
	detail, err := json.Marshal(ws, json.Deterministic(true))
	if err != nil {
		return err
	}
	tx.Exec(1, `INSERT INTO workspace (task, host, project, path, state, version, detail) VALUES ($1,$2,$3,$4,$5,1,$6)`,
		ref, ws.Host, p.ID, ws.Path, string(ws.State), string(detail))
	tx.Touch(p)
	p.Rec.Workspaces++
	for _, port := range ws.Ports {
		tx.Exec(1, `INSERT INTO port (host, port, task) VALUES ($1,$2,$3)`, ws.Host, port, ref)
	}
	return nil
}

// save replaces a workspace whose state is still from, with events of its task.
func save(tx *store.Tx, ws *Workspace, from State, ev ...task.Draft) error {
	p, ref, err := tx.KeyOf(ws.Task)
	if err != nil {
		return err
	}
	detail, err := json.Marshal(ws, json.Deterministic(true))
	if err != nil {
		return err
	}
	tx.Exec(1, `UPDATE workspace SET path=$4, state=$5, version=version+1, detail=$6 WHERE task=$1 AND host=$2 AND state=$3`,
		ref, ws.Host, string(from), ws.Path, string(ws.State), string(detail))
	return tx.Record(p.Rec.Slug, ws.Task, ev...)
}

// drop removes a workspace and frees its ports, with events of its task.
func drop(tx *store.Tx, id task.ID, host string, ev ...task.Draft) error {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return err
	}
	tx.Exec(db.Any, `DELETE FROM port WHERE task=$1 AND host=$2`, ref, host)
	tx.Exec(1, `DELETE FROM workspace WHERE task=$1 AND host=$2`, ref, host)
	tx.Touch(p)
	p.Rec.Workspaces--
	return tx.Record(p.Rec.Slug, id, ev...)
}
