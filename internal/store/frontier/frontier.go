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
// Each optimisation has its own file, which says what it saves and how to remove it: card.go, cursor.go, heads.go,
// page.go and runs.go.
package frontier

import (
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
