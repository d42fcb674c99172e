package recount

import (
	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// orphans finds what belongs to tasks that do not exist. No face shows any of it, so a repair removes it.
func (c *recount) orphans() error {
	c.check = query.CheckOrphans
	for _, table := range store.OfTask {
		if err := c.remove("records of "+table+" without a task", stray{
			from: table, key: "task", where: "task>$1 AND task<=$2 AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id=" + table + ".task)",
			end: "DELETE FROM " + table,
		}); err != nil {
			return err
		}
	}
	if err := c.remove("dependencies on tasks that are not there", stray{
		from: "dep", key: "task", where: "task>$1 AND task<=$2 AND NOT EXISTS (SELECT 1 FROM task t WHERE t.id=dep.on_task)", end: "DELETE FROM dep",
	}); err != nil {
		return err
	}
	return c.remove("parents that are not there", stray{
		from: "task", key: "id", where: "id>$1 AND id<=$2 AND parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM task o WHERE o.id=task.parent)",
		end: "UPDATE task SET parent=NULL",
	})
}

// stray describes rows that should not exist, for tasks in a range, and the statement that removes them.
type stray struct{ from, key, where, end string }

// remove counts rows that should not exist and, in a repair, removes them.
func (c *recount) remove(what string, s stray) error {
	lo, hi := c.p.Span() // no task has the key lo: it stands for what is put away for a whole project
	n, of := 0, []int64(nil)
	err := c.r.C.Query(`SELECT `+s.key+`, COUNT(*) FROM `+s.from+` WHERE `+s.where+` GROUP BY `+s.key+` ORDER BY `+s.key, []any{lo, hi},
		db.Each2(func(ref int64, rows int) {
			n, of = n+rows, append(of, ref)
		}))
	if err != nil || !c.differ(nil, what, n, 0) {
		return err
	}
	if c.fix != nil {
		return c.r.C.Exec(db.Any, s.end+` WHERE `+s.where, lo, hi)
	}
	for _, ref := range of {
		c.mend(beforeTasks, orphans{s, ref})
	}
	return nil
}

// leases finds leases of tasks that nobody holds: there should be none.
func (c *recount) leases() error {
	lo, hi := c.run[0], c.run[len(c.run)-1]
	return c.r.C.Query(`SELECT id, expires_at, lease_ms FROM task WHERE id BETWEEN $1 AND $2 AND holder IS NULL AND (expires_at<>0 OR lease_ms<>0)`,
		[]any{lo, hi}, db.Each3(func(ref, until, lease int64) {
			c.column(ref, "the end of a lease that nobody has", "expires_at", until, int64(0))
			c.column(ref, "the length of a lease that nobody has", "lease_ms", lease, int64(0))
		}))
}

// workspaces compares the project row's count of workspaces.
func (c *recount) workspaces() error {
	n, err := db.Value[int](c.r.C, `SELECT COUNT(*) FROM workspace WHERE project=$1`, c.p.ID)
	if err == nil {
		c.total("workspaces", func(rec *task.Project) *int { return &rec.Workspaces }, n)
	}
	return err
}
