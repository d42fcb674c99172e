package store

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Neighbours returns up to limit of a task's children, of its dependencies and of its dependents, open ones first, then
// by number. They have only id, title and status. If there are more than twice neighboursLooked, it misses open ones
// far from both ends.
func (tx *Tx) Neighbours(t *task.Task, limit int) (query.Neighbours, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return query.Neighbours{}, err
	}
	if got := aheadOf(tx, t.ID); got != nil && got.Bundle && !got.Cut {
		around := got.Neighbours
		for _, list := range listsOf(&around) {
			*list = openFirst(*list, *list, limit)
		}
		return around, nil
	}
	var out, open query.Neighbours
	for kind, list := range listsOf(&out) {
		if err := tx.askNeighboursOf(p, ref, neighboursFrom[kind].Some(``, limit, tx.C.ByStatistics()), list); err != nil {
			return out, err
		}
	}
	if err := tx.C.Flush(); err != nil {
		return out, err
	}
	for kind, list := range listsOf(&out) {
		none := (kind == neighbourChildren && t.OpenChildren == 0) || (kind == neighbourDeps && t.OpenDeps == 0)
		if none || len(*list) < limit || !slices.ContainsFunc(*list, isClosed) {
			continue // nothing open can be missing
		}
		if err := tx.askNeighboursOf(p, ref, neighboursFrom[kind].Zero(`closed_at`, limit, tx.C.ByStatistics()), listsOf(&open)[kind]); err != nil {
			return out, err
		}
	}
	if err := tx.C.Flush(); err != nil {
		return out, err
	}
	for kind, list := range listsOf(&out) {
		*list = openFirst(unionNeighbours(*list, *listsOf(&open)[kind]), *list, limit)
	}
	return out, nil
}

// Awaited returns up to limit open tasks that a task waits for: its open dependencies by number, then its parts by number.
// It searches as far as Neighbours does.
func (tx *Tx) Awaited(t *task.Task, limit int) ([]*task.Task, error) {
	p, ref, err := tx.KeyOf(t.ID)
	if err != nil {
		return nil, err
	}
	out, err := tx.awaited(p, ref, neighboursFrom[neighbourDeps], `closed_at`, min(limit, t.OpenDeps))
	if err != nil {
		return nil, err
	}
	parts, err := tx.awaited(p, ref, neighboursFrom[neighbourChildren], `closed_at+s.in_circle`, min(limit-len(out), t.Parts))
	return append(out, parts...), err
}

// FirstAwaited returns, for each of many tasks of one project, the first open task that it waits for: a dependency, or
// else a part; one that does not wait itself comes before one that does. It searches the first 200 of each.
func (tx *Tx) FirstAwaited(ids []task.ID) (map[task.ID]task.ID, error) {
	p, refs, err := tx.keysOf(ids)
	if err != nil {
		return nil, err
	}
	out := make(map[task.ID]task.ID, len(ids))
	deps, parts := tx.lookedOfEach()
	const first = ` FROM task s WHERE s.id=x.k)=0 ORDER BY k LIMIT 1), `
	const free = `+s.open_deps+s.parts` + first
	found := `SELECT id, k FROM (SELECT w.id, COALESCE(` + deps + free + parts + free + deps + first + parts + first + `0) AS k
		FROM task w WHERE w.id IN KEYS) f WHERE k>0`
	return out, db.EachIn(tx.C, found, refs, db.Each2(func(ref, on int64) {
		out[p.TaskID(ref)] = p.TaskID(on)
	}))
}

// AwaitedByEach returns, for each of many tasks of one project, what Awaited does, with ids alone.
func (tx *Tx) AwaitedByEach(tasks []*task.Task, limit int) (map[task.ID][]task.ID, error) {
	p, refs, err := tx.keysOf(task.IDsOf(tasks))
	if err != nil {
		return nil, err
	}
	out := make(map[task.ID][]task.ID, len(tasks))
	deps, parts := tx.lookedOfEach()
	const joined = `COALESCE((SELECT string_agg(CAST(k AS TEXT), ',') FROM `
	open := ` FROM task s WHERE s.id=x.k)=0 ORDER BY k LIMIT ` + strconv.Itoa(limit) + `) y), '')`
	found := `SELECT w.id, ` + joined + deps + open + `, ` + joined + parts + open + ` FROM task w WHERE w.id IN KEYS`
	err = db.EachIn(tx.C, found, refs, db.Each3(func(ref int64, deps, parts string) {
		ids := slices.Concat(keysIn(p, deps), keysIn(p, parts))
		out[p.TaskID(ref)] = ids[:min(limit, len(ids))]
	}))
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		if len(out[t.ID]) == min(limit, t.OpenDeps+t.Parts) {
			continue
		}
		// Closed ones, more than were looked at, come before the open ones.
		far, err := tx.Awaited(t, limit)
		if err != nil {
			return nil, err
		}
		out[t.ID] = task.IDsOf(far)
	}
	return out, nil
}

// lookedOfEach returns the beginnings of two queries: of the open dependencies and of the open parts of the task w of a
// statement, among those that are searched. What is left to write is how its row s is read, the order and the limit.
func (tx *Tx) lookedOfEach() (deps, parts string) {
	looked := func(k neighbourSource) string {
		return `(SELECT k FROM (` + k.of(`w.id`, ``, neighboursLooked, tx.C.ByStatistics()) + `) x WHERE (SELECT s.closed_at`
	}
	return looked(neighboursFrom[neighbourDeps]), looked(neighboursFrom[neighbourChildren]) + `+s.in_circle`
}

// keysIn reads keys of tasks that a statement joined with commas, and sorts them by number.
func keysIn(p *Project, joined string) (out []task.ID) {
	for text := range strings.SplitSeq(joined, ",") {
		if key, err := strconv.ParseInt(text, 10, 64); err == nil {
			out = append(out, p.TaskID(key))
		}
	}
	slices.SortFunc(out, task.CompareIDs)
	return out
}

// awaited returns up to limit neighbours whose row has 0 in a column.
func (tx *Tx) awaited(p *Project, ref int64, from neighbourSource, zero string, limit int) ([]*task.Task, error) {
	if limit <= 0 {
		return nil, nil
	}
	const whole = `SELECT ` + rows.TaskColumnsT + ` FROM `
	planned := tx.C.ByStatistics()
	out, err := tx.Some(p, whole+`(`+from.Some(``, neighboursLooked, planned)+`) w CROSS JOIN task t WHERE t.id=w.k AND t.`+strings.ReplaceAll(zero, `s.`, `t.`)+`=0
		ORDER BY w.k LIMIT `+strconv.Itoa(limit), ref)
	if err != nil || len(out) == limit {
		return out, err
	}
	return tx.Some(p, whole+`(`+from.Zero(zero, limit, planned)+`) w CROSS JOIN task t WHERE t.id=w.k ORDER BY t.id`, ref)
}

// askNeighboursOf queries the tasks whose ids a statement selects as k, by number.
func (tx *Tx) askNeighboursOf(p *Project, ref int64, ids string, list *[]*task.Task) error {
	return tx.C.Ask(`SELECT `+rows.NeighbourColumnsT+` FROM (`+ids+`) w CROSS JOIN task t WHERE t.id=w.k ORDER BY t.id`, []any{ref}, func(row db.Row) error {
		t, err := scanNeighbour(tx.Now(), p, row)
		*list = append(*list, t)
		return err
	})
}

// nearBodies is how many ancestors are read together with their bodies. Few tasks have more.
const nearBodies = 8

// Ancestry returns up to limit ancestors of a task from its parent up, with id, title, status and body. bodied is how
// many of the nearest have their bodies: as many as fit a page of some bytes.
func (tx *Tx) Ancestry(id task.ID, limit, bytes int) (out []*task.Task, bodied int, err error) {
	p, ref, err := tx.KeyOf(id)
	if err != nil {
		return nil, 0, err
	}
	s := rows.Scanner{Slug: p.Rec.Slug}
	err = tx.C.Query(`WITH RECURSIVE up(id, parent, level) AS (
			SELECT id, parent, 0 FROM task WHERE id=$1
			UNION ALL SELECT t.id, t.parent, up.level+1 FROM up CROSS JOIN task t WHERE t.id=up.parent AND up.level<$2)
		SELECT `+rows.AncestorColumnsT+` FROM up CROSS JOIN task t LEFT JOIN task_body b ON b.task=up.id AND up.level<=`+strconv.Itoa(nearBodies)+`
		WHERE t.id=up.id AND up.level>0 ORDER BY up.level`, []any{ref, limit}, func(row db.Row) error {
		t := &task.Task{}
		err := rows.ReadAncestor(&s, row, t)
		out = append(out, sweptNeighbour(tx.Now(), t))
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	taken := query.Page{Bytes: bytes}.Taken()
	for bodied < len(out) {
		near := out[bodied:min(len(out), bodied+nearBodies)]
		if bodied > 0 {
			if err := tx.bodies(near); err != nil {
				return nil, 0, err
			}
		}
		for _, t := range near {
			if !taken.Add(len(t.Body)) {
				for _, far := range out[bodied:] {
					far.Body = ""
				}
				return out, bodied, nil
			}
			bodied++
		}
	}
	return out, bodied, nil
}

// bodies reads the bodies of tasks.
func (tx *Tx) bodies(tasks []*task.Task) error {
	for _, t := range tasks {
		t.HasBody, t.NoDeps = true, true
	}
	return tx.Fill(tasks...)
}

// The following finds a task's neighbours in the database: its children, its dependencies and its dependents.

// neighboursLooked is how many neighbours of one kind, from each end by number, are searched for open ones.
const neighboursLooked = 200

// isClosed reports whether a task is closed.
func isClosed(t *task.Task) bool { return t.Status.Closed() }

// byNumber orders tasks of one project.
func byNumber(a, b *task.Task) int { return task.CompareIDs(a.ID, b.ID) }

// unionNeighbours merges two lists of tasks, both sorted by number.
func unionNeighbours(a, b []*task.Task) []*task.Task {
	if len(b) == 0 {
		return a
	}
	out := slices.Concat(a, b)
	slices.SortFunc(out, byNumber)
	return slices.CompactFunc(out, func(x, y *task.Task) bool { return x.ID == y.ID })
}

// openFirst returns up to limit tasks: the open ones of one list, then the closed ones of the other.
func openFirst(open, closed []*task.Task, limit int) []*task.Task {
	out := slices.DeleteFunc(slices.Clone(open), isClosed)
	for _, t := range closed {
		if isClosed(t) {
			out = append(out, t)
		}
	}
	return out[:min(len(out), limit)]
}

// listsOf returns the lists of neighbours, in the order of neighboursFrom.
func listsOf(k *query.Neighbours) [3]*[]*task.Task {
	return [3]*[]*task.Task{&k.Children, &k.Deps, &k.Dependents}
}

// sortNeighbours sorts each list by openness and number.
func sortNeighbours(k *query.Neighbours) {
	for _, list := range listsOf(k) {
		slices.SortFunc(*list, byNumber)
	}
}

// neighbourSource says how to find one kind of neighbour: the tables, the columns and the index that has both.
type neighbourSource struct{ Of, Tables, index, Whose, Key string }

// neighboursFrom are the kinds, in the order of query.Neighbours.
var neighboursFrom = [3]neighbourSource{
	{`t.parent`, `task t`, `task`, `parent`, `id`},
	{`dep.task`, `dep JOIN task t ON t.id=dep.on_task`, `dep`, `task`, `on_task`},
	{`dep.on_task`, `dep JOIN task t ON t.id=dep.task`, `dep`, `on_task`, `task`},
}

// The kinds' positions in neighboursFrom.
const (
	neighbourChildren = iota
	neighbourDeps
	neighbourDependents
)

// Some returns the statement for the first ids (the last, if the direction is DESC) of the neighbours of the task $1.
func (k neighbourSource) Some(direction string, limit int, inPlaces bool) string {
	return k.of(`$1`, direction, limit, inPlaces)
}

// of is Some for a task that an expression names: a parameter, or a column of the statement around.
// As in the log, equality would let PostgreSQL walk by key through every task's neighbours: see logWalk.statement.
func (k neighbourSource) of(task, direction string, limit int, inPlaces bool) string {
	cond, order := k.Whose+`=`+task, k.Key+direction
	if inPlaces {
		pair := `(` + k.Whose + `, ` + k.Key + `)`
		cond = k.Whose + ` IS NOT NULL AND ` + pair + `>(` + task + `, 0) AND ` + pair + `<=(` + task + `, ` + lastID + `)`
		order = k.Whose + direction + `, ` + order
	}
	return `SELECT ` + k.Key + ` AS k FROM ` + k.index + ` WHERE ` + cond + ` ORDER BY ` + order + ` LIMIT ` + strconv.Itoa(limit)
}

// Zero returns the statement for the first and last neighbours whose row s has 0 in a column. It looks each one up by
// itself, because a join could read every task.
func (k neighbourSource) Zero(number string, limit int, inPlaces bool) string {
	return `SELECT k FROM (SELECT k FROM (` + k.Some(``, neighboursLooked, inPlaces) + `) a UNION SELECT k FROM (` + k.Some(` DESC`, neighboursLooked, inPlaces) + `) z) b
		WHERE (SELECT s.` + number + ` FROM task s WHERE s.id=b.k)=0 ORDER BY k LIMIT ` + strconv.Itoa(limit)
}

// lastID is the largest possible id.
const lastID = `9223372036854775807`

// scanNeighbour reads a task in the form Brief, without a lapsed claim.
func scanNeighbour(now task.Time, p *Project, row db.Row) (*task.Task, error) {
	t := &task.Task{}
	err := rows.ReadNeighbour(&rows.Scanner{Slug: p.Rec.Slug}, row, t)
	return sweptNeighbour(now, t), err
}

// sweptNeighbour returns the task without a lapsed claim. Neighbours do not show their holder, so it only sets the
// status.
func sweptNeighbour(now task.Time, t *task.Task) *task.Task {
	if t.Lapsed(now) {
		t.Status = task.Open
	}
	t.Claim = nil
	return t
}
