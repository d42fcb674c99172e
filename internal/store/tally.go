package store

import (
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/task"
)

// The counts of a project's tasks that are not in its own row: see the table tally.
const (
	TallyDue    = "due"    // open tasks by the day they are due
	TallyClosed = "closed" // closed tasks by the day they were closed
	TallyRoute  = "route"  // ready tasks by route
	TallyAsked  = "asked"  // tasks that a blocking question keeps back, even if something else does too
)

// Tally names one count.
type Tally struct {
	What string
	At   int64
}

// Compare orders counts.
func (k Tally) Compare(o Tally) int {
	return cmp.Or(cmp.Compare(k.What, o.What), cmp.Compare(k.At, o.At))
}

// Count changes one count. It is written once, before the commit.
func (tx *Tx) Count(p *Project, what string, at int64, by int) {
	if by == 0 {
		return
	}
	if p.Tallies == nil {
		p.Tallies = map[Tally]int{}
	}
	k := Tally{what, at}
	p.Tallies[k] += by
	p.dirty = true
	tx.Turn.Undo(func() { p.Tallies[k] -= by })
}

// Daily updates the counts by day. before is nil for a new task.
func (tx *Tx) Daily(p *Project, before, after *task.Task) {
	if before == nil || before.Status != after.Status || before.Due != after.Due || before.ClosedAt != after.ClosedAt {
		if before != nil {
			tx.countDays(p, before, -1)
		}
		tx.countDays(p, after, 1)
	}
}

func (tx *Tx) countDays(p *Project, t *task.Task, by int) {
	if at, ok := t.Deadline(); ok {
		tx.Count(p, TallyDue, at.Day(), by)
	}
	if t.ClosedAt != 0 {
		tx.Count(p, TallyClosed, t.ClosedAt.Day(), by)
	}
}

// flush writes the counts that changed in the turn.
func (p *Project) flush(c db.Conn) error {
	for _, k := range slices.SortedFunc(maps.Keys(p.Tallies), Tally.Compare) {
		by := p.Tallies[k]
		if by == 0 {
			continue
		}
		db.Exec(c, 1, `INSERT INTO tally (project, what, at, n) VALUES ($1,$2,$3,$4)
			ON CONFLICT (project, what, at) DO UPDATE SET n=tally.n+excluded.n`, p.ID, k.What, k.At, by)
	}
	return nil
}
