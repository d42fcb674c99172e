package store

import (
	"slices"
	"strconv"

	"tasker/internal/db"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// This file finds a task's neighbours in the database: its children, its dependencies and its dependents.

// neighboursLooked is how many neighbours of one kind, from each end by number, are searched for open ones.
const neighboursLooked = 200

// isClosed reports whether a task is closed.
func isClosed(t *task.Task) bool { return t.Status.Closed() }

// unionNeighbours merges two lists of tasks, both sorted by number.
func unionNeighbours(a, b []*task.Task) []*task.Task {
	if len(b) == 0 {
		return a
	}
	out := slices.Concat(a, b)
	slices.SortFunc(out, func(x, y *task.Task) int { return task.CompareIDs(x.ID, y.ID) })
	return slices.CompactFunc(out, func(x, y *task.Task) bool { return x.ID == y.ID })
}

// openFirst returns up to limit tasks: the open ones of one list, then the closed ones of the other.
func openFirst(open, closed []*task.Task, limit int) []*task.Task {
	var out []*task.Task
	for _, t := range open {
		if !isClosed(t) {
			out = append(out, t)
		}
	}
	for _, t := range closed {
		if isClosed(t) {
			out = append(out, t)
		}
	}
	return out[:min(len(out), limit)]
}

// sortNeighbours sorts each list by openness and number.
func sortNeighbours(k *query.Neighbours) {
	for _, list := range k.Lists() {
		slices.SortFunc(*list, func(a, b *task.Task) int { return task.CompareIDs(a.ID, b.ID) })
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
// As in the log, equality would let PostgreSQL walk by key through every task's neighbours: see walk.statement in
// eventlog.
func (k neighbourSource) Some(direction string, limit int, inPlaces bool) string {
	cond, order := k.Whose+`=$1`, k.Key+direction
	if inPlaces {
		pair := `(` + k.Whose + `, ` + k.Key + `)`
		cond = k.Whose + ` IS NOT NULL AND ` + pair + `>($1, 0) AND ` + pair + `<=($1, ` + lastID + `)`
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
