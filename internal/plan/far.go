package plan

import (
	"cmp"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// A change of edges is decided in a turn, while everybody else waits, so the number of statements is bounded however
// long a chain is: after nearReads, all edges of the project are read at once, readAtOnce tasks per statement, and a
// project with more than farTasks is refused.
const (
	nearReads  = 500
	readAtOnce = 256
	farTasks   = 1_000_000
)

// Far returns the ties of a project for walks that may be long; next is the number of its next task. They are valid for
// one snapshot.
func (t Ties) Far(project string, next int64) Ties {
	f := &far{ties: t, project: project, next: next}
	return Ties{
		From: f.reader(t.From, &f.out, func(at, other task.ID, w wire) query.Tie {
			return query.Tie{From: at, To: other, Child: w.child, InCircle: w.inCircle}
		}),
		To: f.reader(t.To, &f.in, func(at, other task.ID, w wire) query.Tie {
			return query.Tie{From: other, To: at, Child: w.child, InCircle: w.inCircle}
		}),
		Circles: t.Circles,
	}
}

// far answers a short walk with single reads, and a long one from all edges.
type far struct {
	ties    Ties
	project string
	next    int64
	asked   int
	all     bool   // out and in were read
	out, in []wire // all edges, by where they begin and by where they end
}

// wire is a tie between two numbers, seen from one of its ends.
type wire struct {
	at, other       int32
	child, inCircle bool
}

// reader reads the edges of some tasks on one side: single tasks at first, and then from all edges.
func (f *far) reader(
	near func([]task.ID) ([]query.Tie, error), side *[]wire, tie func(at, other task.ID, w wire) query.Tie,
) func([]task.ID) ([]query.Tie, error) {
	return func(ids []task.ID) ([]query.Tie, error) {
		if f.asked++; f.asked <= nearReads {
			return near(ids)
		}
		err := f.readAll()
		return f.among(*side, ids, tie), err
	}
}

// readAll reads all edges, once.
func (f *far) readAll() error {
	if f.all {
		return nil
	}
	if f.next > farTasks {
		return fault.Decline("whether this closes a circle cannot be decided in one turn: more than %d tasks are connected, in a project of more than %d",
			nearReads, farTasks).WithHint("depend on a task nearer to an end of that chain, or put new work into a project of its own")
	}
	for n := int64(1); n < f.next; n += readAtOnce {
		ids := make([]task.ID, 0, readAtOnce)
		for k := n; k < min(n+readAtOnce, f.next); k++ {
			ids = append(ids, task.MakeID(f.project, k))
		}
		ties, err := f.ties.From(ids)
		if err != nil {
			return err
		}
		for _, t := range ties {
			from, to := number(t.From), number(t.To)
			f.out = append(f.out, wire{from, to, t.Child, t.InCircle})
			f.in = append(f.in, wire{to, from, t.Child, t.InCircle})
		}
	}
	for _, side := range [][]wire{f.out, f.in} {
		slices.SortFunc(side, func(a, b wire) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.other, b.other)) })
	}
	f.all = true
	return nil
}

func number(id task.ID) int32 {
	_, n, _ := task.ParseID(string(id))
	return int32(n)
}

// among returns the edges of some tasks on one side.
func (f *far) among(side []wire, ids []task.ID, tie func(at, other task.ID, w wire) query.Tie) (out []query.Tie) {
	for _, id := range ids {
		n := number(id)
		i, _ := slices.BinarySearchFunc(side, n, func(w wire, n int32) int { return cmp.Compare(w.at, n) })
		for ; i < len(side) && side[i].at == n; i++ {
			out = append(out, tie(id, task.MakeID(f.project, int64(side[i].other)), side[i]))
		}
	}
	return out
}
