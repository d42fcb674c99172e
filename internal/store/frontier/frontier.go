// Package frontier maintains where every open task of a project stands, in the orders in which tasks are selected, and
// walks it.
//
// Each open task has a narrow row under each order that its project stores (a few; a new one is built once, in a turn).
// Its place is a route, for ready tasks that declare the same about who may hold them, or one of a few others: held, in
// progress without a holder, in review, waiting, held back by a question. Within a place, rows are sorted by the part
// of the sort key before the bias, then the preferred actor, then the part after it. So a walk seeks the head of every
// place in its lane and merges: it reads a handful of rows at any size, under any policy, with any routing.
//
// A Frontier belongs to one snapshot, or to one member of a turn. The owner of the records calls
//
//   - Move, with a task before and after a change, and Insert, with new ones, in the turn that writes them;
//   - Walk, Under, Head and Cards to read. It passes them the lapsed tasks that are not swept
//     yet, as they count now.
//
// Each optimisation says what it saves and how to remove it: cards (card.go), pages (page.go), cursors and heads, which
// share a walk (shared.go), and runs (stream.go).
package frontier

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"tasker/internal/db"
	"tasker/internal/task"
)

// Project is what one snapshot or turn has read about a project's frontier.
type Project struct {
	ID  int64
	Rec *task.Project // its record, whose counts say which places are empty

	known   bool // the next two have been read
	orders  []storedOrder
	routes  map[string]Route
	prefers map[int64]bool // by order, in a snapshot: see Frontier.prefers
}

// NewProject returns a project with nothing read yet.
func NewProject(id int64, rec *task.Project) *Project { return &Project{ID: id, Rec: rec} }

// Known reports whether its orders and routes have been read.
func (p *Project) Known() bool { return p.known }

// Counted returns a task as it counts now: a lapsed lease is over, and a turn sweeps it.
type Counted func(key int64, t *task.Task) (*task.Task, error)

// Frontier is the frontier for one snapshot or one member of a turn.
type Frontier struct {
	c       db.Conn
	turn    *db.Turn // nil in a snapshot
	counted Counted
	cursor  *TurnCursor // nil: there is none
	heads   *Heads      // nil: they are not shared
}

// Read returns the frontier that a snapshot sees. heads may be nil.
func Read(c db.Conn, heads *Heads, counted Counted) *Frontier {
	return &Frontier{c: c, counted: counted, heads: heads}
}

// Write returns the frontier of a member of a turn. cursor may be nil.
func Write(t *db.Turn, cursor *TurnCursor, counted Counted) *Frontier {
	return &Frontier{c: t.Conn, turn: t, counted: counted, cursor: cursor}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Place is where an open task is on the frontier: a route, counted from 1, or one of the constants below.
type Place = int64

// The places that are not routes.
const (
	Nowhere  Place = -9 // it is closed
	InReview Place = -4
	Unheld   Place = -3 // in progress, and nobody holds it
	Waiting  Place = -2 // for dependencies, or for its own parts
	Asked    Place = -1 // ready except for a blocking question
	Held     Place = 0
)

// place returns the place of a task, and adds its route if that is new.
func (f *Frontier) place(p *Project, t *task.Task) (int64, error) {
	at, ready := Standing(t)
	if !ready {
		return at, nil
	}
	return f.routeOf(p, t)
}

// Standing returns the place of a task as far as its row decides it; a ready task is on its route.
func Standing(t *task.Task) (at int64, ready bool) {
	if t.Ready() {
		return 0, true
	}
	return placeOf[t.State()], false
}

// placeOf is the place of each state. A ready task is on its route instead; the first route stands for all of them.
var placeOf = [...]Place{
	task.StateReady: 1, task.StateWaiting: Waiting, task.StateAsked: Asked, task.StateHeld: Held, task.StateUnheld: Unheld,
	task.StateInReview: InReview, task.StateDone: Nowhere, task.StateCancelled: Nowhere,
}

// PlaceOf returns the place of a task without adding a route. The project must be known.
func (p *Project) PlaceOf(t *task.Task) Place {
	at, ready := Standing(t)
	if !ready {
		return at
	}
	key, _, _, err := routeKey(t)
	rt, ok := p.routes[key]
	if err != nil || !ok {
		return Nowhere
	}
	return rt.ID
}

// spot is one frontier row of a task under one order.
type spot struct {
	route  int64
	k1, k2 []byte
	pref   string
}

// level reports whether two spots have the same sort key, whatever their routes.
func (s spot) level(o spot) bool {
	return s.pref == o.pref && bytes.Equal(s.k1, o.k1) && bytes.Equal(s.k2, o.k2)
}

// Move moves the rows of a task to its new place, after the events of the change, and returns both places. before must
// be the record that the rows were written from: if a row is not found, the write fails, because the frontier is wrong.
func (f *Frontier) Move(p *Project, before, after *task.Task) (from, to Place, err error) {
	from = Nowhere
	if before != nil {
		if from, err = f.place(p, before); err != nil {
			return from, to, err
		}
	}
	if to, err = f.place(p, after); err != nil || from == Nowhere && to == Nowhere {
		return from, to, err
	}
	if err := f.Know(p); err != nil {
		return from, to, err
	}
	id := p.key(after)
	f.cursor.moved(f, id, to)
	for _, k := range p.orders {
		var old, now spot
		if from != Nowhere {
			old = spotOf(k, from, before)
		}
		if to != Nowhere {
			now = spotOf(k, to, after)
		}
		level := old.level(now)
		if from == to && level {
			continue
		}
		switch {
		case to == Nowhere:
			err = f.c.Exec(1, `DELETE FROM frontier WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id)
		case from == Nowhere:
			err = f.c.Exec(1, `INSERT INTO frontier (policy, route, k1, pref, k2, task) VALUES ($1,$2,$3,$4,$5,$6)`,
				k.id, now.route, now.k1, now.pref, now.k2, id)
		case level:
			err = f.c.Exec(1, `UPDATE frontier SET route=$7
				WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id, now.route)
		default:
			err = f.c.Exec(1, `UPDATE frontier SET route=$7, k1=$8, pref=$9, k2=$10
				WHERE policy=$1 AND route=$2 AND k1=$3 AND pref=$4 AND k2=$5 AND task=$6`,
				k.id, old.route, old.k1, old.pref, old.k2, id, now.route, now.k1, now.pref, now.k2)
		}
		if err != nil {
			return from, to, err
		}
	}
	return from, to, nil
}

// Insert writes the rows of new tasks and returns the place of each.
func (f *Frontier) Insert(p *Project, tasks []task.NewTask, keys []int64) ([]Place, error) {
	if err := f.Know(p); err != nil {
		return nil, err
	}
	places := make([]Place, len(tasks))
	var standing [][]any
	for i := range tasks {
		t := tasks[i].Task
		var err error
		if places[i], err = f.place(p, t); err != nil {
			return nil, err
		}
		if places[i] == Nowhere {
			continue
		}
		for _, k := range p.orders {
			standing = append(standing, frontierRow(k, places[i], keys[i], t))
		}
	}
	return places, f.c.Bulk("frontier", frontierCols, len(standing), func(i int) []any { return standing[i] })
}

func spotOf(k storedOrder, route int64, t *task.Task) spot {
	k1, k2 := k.order.SortKey(t)
	return spot{route: route, k1: k1, k2: k2, pref: string(t.PreferredActor)}
}
