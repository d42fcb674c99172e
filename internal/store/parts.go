package store

import (
	"tasker/internal/db"
	"tasker/internal/graph"
	"tasker/internal/store/frontier"
	"tasker/internal/store/rows"
)

// fillParts completes the migration to parts: it marks the children that stand in a circle with their parents, and
// updates counts and frontiers. It goes project by project, and holds only the edges of one project in memory, as
// numbers: 150 MB for a million tasks with four million edges.
func fillParts(c db.Conn) error {
	next, err := db.Pairs[int64, int](c, `SELECT id, next_n FROM project`)
	if err != nil {
		return err
	}
	for _, project := range sortedKeys(next) {
		circled, err := circledIn(c, project, next[project])
		if err != nil {
			return err
		}
		if err := markCircled(c, project, circled); err != nil {
			return err
		}
		if err := countReady(c, project); err != nil {
			return err
		}
	}
	return replaceWaiting(c)
}

// circledIn returns the children of a project that stand in a circle with their parents.
func circledIn(c db.Conn, project int64, next int) (out []int64, err error) {
	lo, hi := rows.KeyOf(project, 0), rows.KeyOf(project, rows.MaxNumber)
	parent := make([]int32, next)
	for n := range parent {
		parent[n] = -1
	}
	edge := db.Read2(func(from, to int64) graph.Edge {
		return graph.Edge{From: int32(rows.Number(from)), To: int32(rows.Number(to))}
	})
	edges, err := db.All(c, `SELECT parent, id FROM task WHERE parent BETWEEN $1 AND $2`, []any{lo, hi}, edge)
	if err != nil || len(edges) == 0 {
		return nil, err
	}
	for _, e := range edges {
		parent[e.To] = e.From
	}
	deps, err := db.All(c, `SELECT task, on_task FROM dep WHERE task BETWEEN $1 AND $2`, []any{lo, hi}, edge)
	if err != nil {
		return nil, err
	}
	edges = append(edges, deps...)
	circles := graph.FindCircles(graph.New(next, edges), parent)
	for n := range parent {
		if circles.Has(int32(n)) {
			out = append(out, rows.KeyOf(project, int64(n)))
		}
	}
	return out, nil
}

// markCircled marks children and removes them from their parents' counts of parts.
func markCircled(c db.Conn, project int64, circled []int64) error {
	if len(circled) == 0 {
		return nil
	}
	_ = db.Batches(circled, func(run []any) error {
		return c.Exec(db.Any, `UPDATE task SET in_circle=1 WHERE id IN `+db.In(1, len(run)), run...)
	})
	return c.Exec(db.Any, `UPDATE task SET parts=open_children-(SELECT COUNT(*) FROM task c WHERE c.parent=task.id AND c.in_circle=1
			AND c.status<>'done' AND c.status<>'cancelled')
		WHERE id IN (SELECT parent FROM task WHERE project=$1 AND in_circle=1)`, project)
}

// countReady counts the ready tasks of a project, in total and by route.
func countReady(c db.Conn, project int64) error {
	const waitsForNothing = `status='open' AND holder IS NULL AND open_deps=0 AND parts=0`
	db.Exec(c, 1, `UPDATE project SET n_ready=(SELECT COUNT(*) FROM task WHERE project=$1 AND `+waitsForNothing+` AND questions=0) WHERE id=$1`, project)
	type group struct {
		autonomy, mayExecute string
		asked                bool
		n                    int64
	}
	groups, err := db.All(c, `SELECT autonomy, may_execute, CASE WHEN questions>0 THEN 1 ELSE 0 END AS asked, COUNT(*) FROM task
		WHERE project=$1 AND `+waitsForNothing+` GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`, []any{project}, db.Read4(func(autonomy, may string, asked bool, n int64) group {
		return group{autonomy, may, asked, n}
	}))
	if err != nil {
		return err
	}
	db.Exec(c, db.Any, `DELETE FROM tally WHERE project=$1 AND what=$2`, project, TallyRoute)
	for _, g := range groups {
		at := frontier.Asked
		if !g.asked {
			if at, err = frontier.RouteID(c, project, g.autonomy, g.mayExecute); err != nil {
				return err
			}
		}
		db.Exec(c, 1, `INSERT INTO tally (project, what, at, n) VALUES ($1,$2,$3,$4)
			ON CONFLICT (project, what, at) DO UPDATE SET n=tally.n+excluded.n`, project, TallyRoute, at, g.n)
	}
	return nil
}

// replaceWaiting moves the frontier rows of tasks that wait for parts. It drops an order in which a task no longer
// waits; the order is written again when somebody asks for it.
func replaceWaiting(c db.Conn) error {
	db.Exec(c, db.Any, `UPDATE frontier SET route=$1 WHERE (route>0 OR route=$2)
		AND task IN (SELECT id FROM task WHERE parts>0 AND status='open' AND holder IS NULL)`, frontier.Waiting, frontier.Asked)
	stale, err := db.Values[int64](c, `SELECT DISTINCT f.policy FROM frontier f JOIN task t ON t.id=f.task
		WHERE f.route=$1 AND t.open_deps=0 AND t.parts=0 ORDER BY f.policy`, frontier.Waiting)
	for _, policy := range stale {
		for _, sql := range []string{`DELETE FROM frontier WHERE policy=$1`, `DELETE FROM policy WHERE id=$1`} {
			db.Exec(c, db.Any, sql, policy)
		}
	}
	return err
}
