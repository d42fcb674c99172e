package recount

import (
	"tasker/internal/db"
	"tasker/internal/task/query"
)

// besideTasks are the tables whose rows belong to a task, by the column task.
var besideTasks = [...]string{
	"note", "evidence", "approval", "question", "decision", "agreed", "conflict", "outbound", "unclosed", "notice", "binding", "guidance",
	"workspace", "port", "landing", "seen", "dep", "task_body",
}

// orphans finds what belongs to tasks that are not there. No face shows any of it, so a repair removes it.
func (c *recount) orphans() error {
	c.check = query.CheckOrphans
	lo, hi := c.p.Span() // lo is no task's: under it stands what is put away of a whole project
	for _, table := range besideTasks {
		from := table + ` WHERE task>$1 AND task<=$2 AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id=` + table + `.task)`
		if err := c.remove("records of "+table+" without a task", from, `DELETE FROM `+from, lo, hi); err != nil {
			return err
		}
	}
	from := `dep WHERE task>$1 AND task<=$2 AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id=dep.on_task)`
	if err := c.remove("dependencies on tasks that are not there", from, `DELETE FROM `+from, lo, hi); err != nil {
		return err
	}
	astray := ` WHERE id>$1 AND id<=$2 AND parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM task o WHERE o.id=task.parent)`
	return c.remove("parents that are not there", `task`+astray, `UPDATE task SET parent=NULL`+astray, lo, hi)
}

// remove counts rows that should not be, and where it repairs has a statement end them.
func (c *recount) remove(what, from, sql string, args ...any) error {
	n := 0
	if err := c.r.C.Query(`SELECT COUNT(*) FROM `+from, args, db.Scan1(func(rows int64) error { n = int(rows); return nil })); err != nil {
		return err
	}
	if !c.differ(nil, what, n, 0) || c.fix == nil {
		return nil
	}
	return c.r.C.Exec(db.Any, sql, args...)
}

// leases compares the leases of tasks that nobody holds: there are none.
func (c *recount) leases() error {
	lo, hi := c.run[0], c.run[len(c.run)-1]
	return c.r.C.Query(`SELECT id, expires_at, lease_ms FROM task WHERE id BETWEEN $1 AND $2 AND holder IS NULL AND (expires_at<>0 OR lease_ms<>0)`,
		[]any{lo, hi}, db.Scan3(func(ref, until, lease int64) error {
			c.column(ref, "the end of a lease that nobody has", "expires_at", until, int64(0))
			c.column(ref, "the length of a lease that nobody has", "lease_ms", lease, int64(0))
			return nil
		}))
}

// workspaces compares how many workspaces the project's row counts.
func (c *recount) workspaces() error {
	n := 0
	err := c.r.C.Query(`SELECT COUNT(*) FROM workspace WHERE project=$1`, []any{c.p.ID}, db.Scan1(func(rows int64) error { n = int(rows); return nil }))
	if err == nil && c.differ(nil, "workspaces", c.p.Rec.Workspaces, n) && c.fix != nil {
		c.p.Rec.Workspaces = n
	}
	return err
}
