package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/graph"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Children returns the ids of a task's children, by number.
func (tx *Tx) Children(id task.ID) ([]task.ID, error) {
	return tx.ids(id, `SELECT id FROM task WHERE parent=$1 ORDER BY id`)
}

// Dependents returns the ids of the tasks that depend on a task, by number.
func (tx *Tx) Dependents(id task.ID) ([]task.ID, error) {
	return tx.ids(id, `SELECT task FROM dep WHERE on_task=$1 ORDER BY task`)
}

func (tx *Tx) ids(id task.ID, sql string) ([]task.ID, error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	return db.All(tx.C, sql, []any{ref}, db.Read1(p.TaskID))
}

// Edges returns the dependencies of many tasks of one project, task by task.
func (tx *Tx) Edges(ids []task.ID) ([]query.Edge, error) {
	return tx.edges(ids, neighbourDeps, 0)
}

// EdgesFrom returns up to limit dependencies of many tasks of one project, task by task.
func (tx *Tx) EdgesFrom(ids []task.ID, limit int) ([]query.Edge, error) {
	return tx.edges(ids, neighbourDeps, limit)
}

// EdgesTo returns up to limit dependencies on many tasks of one project.
func (tx *Tx) EdgesTo(ids []task.ID, limit int) ([]query.Edge, error) {
	return tx.edges(ids, neighbourDependents, limit)
}

// edges returns the dependencies of, or on, many tasks. A single task's are read like its neighbours: see neighbours.Source.some.
func (tx *Tx) edges(ids []task.ID, kind, limit int) ([]query.Edge, error) {
	p, refs, err := tx.keysOf(ids)
	if err != nil {
		return nil, err
	}
	from := neighboursFrom[kind]
	var out []query.Edge
	err = db.Batches(refs, func(run []any) error {
		if limit > 0 && len(out) >= limit {
			return nil
		}
		sql := `SELECT ` + from.Whose + `, ` + from.Key + ` AS k FROM dep WHERE ` + from.Whose + ` IN ` + db.In(1, len(run)) +
			` ORDER BY ` + from.Whose + `, ` + from.Key + upTo(limit)
		if len(run) == 1 && limit > 0 {
			sql = `SELECT $1, k FROM (` + from.Some(``, limit, tx.C.ByStatistics()) + `) w ORDER BY k`
		}
		return tx.C.Query(sql, run, db.Each2(func(from, to int64) {
			e := query.Edge{From: p.TaskID(from), To: p.TaskID(to)}
			if kind == neighbourDependents {
				e.From, e.To = e.To, e.From
			}
			out = append(out, e)
		}))
	})
	return out, err
}

// TiesFrom returns what many tasks of one project depend on, and their children.
func (tx *Tx) TiesFrom(ids []task.ID) ([]query.Tie, error) {
	return tx.ties(ids, `SELECT task, on_task, 0, 0 FROM dep WHERE task IN `, `SELECT parent, id, 1, in_circle FROM task WHERE parent IN `)
}

// TiesTo returns what depends on many tasks of one project, and their parents.
func (tx *Tx) TiesTo(ids []task.ID) ([]query.Tie, error) {
	return tx.ties(ids, `SELECT task, on_task, 0, 0 FROM dep WHERE on_task IN `, `SELECT parent, id, 1, in_circle FROM task WHERE parent IS NOT NULL AND id IN `)
}

func (tx *Tx) ties(ids []task.ID, deps, children string) ([]query.Tie, error) {
	p, refs, err := tx.keysOf(ids)
	if err != nil {
		return nil, err
	}
	return db.AllIn(tx.C, deps+`KEYS UNION ALL `+children+`KEYS`, refs, db.Read4(func(from, to int64, child, inCircle bool) query.Tie {
		return query.Tie{From: p.TaskID(from), To: p.TaskID(to), Child: child, InCircle: inCircle}
	}))
}

// Circled returns up to limit children in a project that are marked as standing in a circle with their parents, by
// number; with open, only open ones.
func (tx *Tx) Circled(slug string, open bool, limit int) ([]query.Tie, error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, err
	}
	where := `project=$1`
	if open {
		where += ` AND closed_at=0`
	}
	return db.All(tx.C, `SELECT parent, id FROM task WHERE in_circle=1 AND parent IS NOT NULL AND `+where+` ORDER BY id LIMIT `+strconv.Itoa(limit), []any{p.ID},
		db.Read2(p.circledTie))
}

// circledTie returns the tie of a child that stands in a circle with its parent.
func (p *Project) circledTie(parent, child int64) query.Tie {
	return query.Tie{From: p.TaskID(parent), To: p.TaskID(child), Child: true, InCircle: true}
}

// Below returns every descendant of a task, by level and number.
func (tx *Tx) Below(id task.ID) ([]*task.Task, error) {
	p, root, err := tx.KeyOf(id)
	if err != nil {
		return nil, err
	}
	return tx.Some(p, `WITH RECURSIVE below(id, level) AS (
			SELECT id, 1 FROM task WHERE parent=$1 UNION ALL SELECT c.id, below.level+1 FROM below CROSS JOIN task c WHERE c.parent=below.id)
		SELECT `+rows.TaskColumnsT+` FROM below CROSS JOIN task t WHERE t.id=below.id ORDER BY below.level, t.id`, root)
}

// maxParents is how many tasks with parts are searched for open ones.
const maxParents = 2000

// Epics returns the newest open tasks of a project that have parts. It walks the index from parent to parent, and skips
// the parts of each.
func (tx *Tx) Epics(slug string, limit int) (some []query.Epic, more bool, err error) {
	p, err := tx.Find(slug)
	if err != nil {
		return nil, false, err
	}
	lo, hi := p.Span()
	some, err = db.All(tx.C, `WITH RECURSIVE above(id, n) AS (
			SELECT (SELECT MAX(parent) FROM task WHERE parent BETWEEN $1 AND $2), 1
			UNION ALL SELECT (SELECT MAX(parent) FROM task WHERE parent>=$1 AND parent<above.id), n+1 FROM above
			WHERE above.id IS NOT NULL AND n<`+strconv.Itoa(maxParents)+`)
		SELECT t.id, t.title FROM above CROSS JOIN task t WHERE t.id=above.id AND t.status<>'done' AND t.status<>'cancelled'
		ORDER BY t.id DESC LIMIT `+strconv.Itoa(limit+1), []any{lo, hi},
		db.Read2(func(ref int64, title string) query.Epic { return query.Epic{ID: p.TaskID(ref), Title: title} }))
	more = len(some) > limit
	some = some[:min(len(some), limit)]
	slices.Reverse(some)
	return some, more, err
}

// Flow returns what the open tasks of a project wait for: the dependencies among them, and the parts of parents. All of
// it is read from indexes, because rows of tasks are long.
func (tx *Tx) Flow(slug string) (query.Flow, error) {
	f := query.Flow{Project: slug}
	p, err := tx.Find(slug)
	if err != nil {
		return f, err
	}
	err = tx.C.Query(`SELECT id FROM task WHERE project=$1 AND status<>'done' AND status<>'cancelled' ORDER BY id`, []any{p.ID},
		db.Each1(func(ref int64) { f.Numbers = append(f.Numbers, rows.Number(ref)) }))
	if err != nil || len(f.Numbers) == 0 {
		return f, err
	}
	first, last := f.Numbers[0], f.Numbers[len(f.Numbers)-1]
	at := make([]int32, last-first+1) // of each number: the index of its task, and one more
	for i, n := range f.Numbers {
		at[n-first] = int32(i) + 1
	}
	index := func(ref int64) int32 {
		if n := rows.Number(ref); n >= first && n <= last {
			return at[n-first] - 1
		}
		return graph.None
	}
	parent := slices.Repeat([]int32{graph.None}, len(f.Numbers))
	lo, hi := p.Ref(first), p.Ref(last)
	err = tx.C.Query(`SELECT parent, id FROM task WHERE parent BETWEEN $1 AND $2`, []any{lo, hi}, db.Each2(func(above, ref int64) {
		if up, part := index(above), index(ref); up != graph.None && part != graph.None {
			parent[part] = up
		}
	}))
	if err != nil {
		return f, err
	}
	err = tx.C.Query(`SELECT id FROM task WHERE project=$1 AND in_circle=1`, []any{p.ID}, db.Each1(func(ref int64) {
		if i := index(ref); i != graph.None {
			parent[i] = graph.None
		}
	}))
	if err != nil {
		return f, err
	}
	err = tx.C.Query(`SELECT task, on_task FROM dep WHERE task BETWEEN $1 AND $2`, []any{lo, hi}, db.Each2(func(ref, on int64) {
		from, to := index(ref), index(on)
		if from == graph.None || to == graph.None {
			return
		}
		f.Deps = append(f.Deps, graph.Edge{From: from, To: to})
		if parent[to] == from {
			parent[to] = graph.None
		}
	}))
	for part, up := range parent {
		if up != graph.None {
			f.Parts = append(f.Parts, graph.Edge{From: up, To: int32(part)})
		}
	}
	return f, err
}
