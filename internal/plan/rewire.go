package plan

import (
	"slices"

	"tasker/internal/fault"
	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// Ties reads the stored edges between the tasks of a project.
type Ties struct {
	From, To func([]task.ID) ([]query.Tie, error)
	// Circles reports whether any child is in a circle with its parent.
	Circles func() (bool, error)
}

// tiesAtOnce is how many tasks a walk reads at once.
const tiesAtOnce = 256

// Rewire decides what new dependencies or a new parent of one task lead to: it refuses cycles through deps or through
// parents, and returns which children are now in a circle with their parents, or no longer are. before is nil for a
// task that is created, whose id is empty.
//
// Only tasks on a circle with an added or removed edge can change. They are searched for from both ends of the edges,
// so that the common change, which closes no circle, costs a few reads.
func Rewire(before, after *task.Task, ties Ties) (Circles, error) {
	r := rewiring{before: before, after: after, ties: ties}
	if before == nil {
		r.before = &task.Task{}
	}
	heads, tails, err := r.changed()
	if err != nil || len(heads) == 0 {
		return Circles{}, err
	}
	around, err := between(heads, tails, r.either())
	if err != nil || len(around) == 0 {
		return Circles{}, err
	}
	around[after.ID] = true
	return r.decide(around)
}

// rewiring is a change of the edges of one task.
type rewiring struct {
	before, after *task.Task
	ties          Ties
}

// changed returns the ends of the edges that are added or removed: the tasks that they lead to, and the tasks that they
// come from.
func (r rewiring) changed() (heads, tails []task.ID, err error) {
	id := r.after.ID
	fresh, gone := without(r.after.Deps, r.before.Deps), without(r.before.Deps, r.after.Deps)
	if id == "" { // nothing depends on it, and it has no children: every circle goes through its parent
		if len(fresh) == 0 || r.after.Parent == "" {
			return nil, nil, nil
		}
		return fresh, []task.ID{task.ID(r.after.Parent)}, nil
	}
	moved := r.before.Parent != r.after.Parent
	if len(fresh) == 0 && (!moved || r.after.Parent == "") { // removing edges can only end circles
		if some, err := r.ties.Circles(); err != nil || !some {
			return nil, nil, err
		}
	}
	if len(fresh)+len(gone) > 0 {
		heads, tails = append(fresh, gone...), append(tails, id)
	}
	for _, parent := range []task.Opt{r.before.Parent, r.after.Parent} {
		if moved && parent != "" {
			heads, tails = append(heads, id), append(tails, task.ID(parent))
		}
	}
	return heads, tails, nil
}

// without returns the ids of a list that are not in another.
func without(list, other []task.ID) []task.ID {
	return slices.DeleteFunc(slices.Clone(list), func(id task.ID) bool { return slices.Contains(other, id) })
}

// own returns the edges of the task after the change, except to its children and from its dependents.
func (r rewiring) own() (ties []query.Tie) {
	for _, d := range r.after.Deps {
		ties = append(ties, query.Tie{From: r.after.ID, To: d})
	}
	if up := task.ID(r.after.Parent); up != "" {
		ties = append(ties, query.Tie{From: up, To: r.after.ID, Child: true})
	}
	return ties
}

// either returns the edges before or after the change.
func (r rewiring) either() Ties {
	own := r.own()
	with := func(read func([]task.ID) ([]query.Tie, error), at func(query.Tie) task.ID) func([]task.ID) ([]query.Tie, error) {
		return func(ids []task.ID) ([]query.Tie, error) {
			ties, err := read(without(ids, []task.ID{""}))
			for _, t := range own {
				if slices.Contains(ids, at(t)) {
					ties = append(ties, t)
				}
			}
			return ties, err
		}
	}
	return Ties{
		From: with(r.ties.From, func(t query.Tie) task.ID { return t.From }),
		To:   with(r.ties.To, func(t query.Tie) task.ID { return t.To }),
	}
}

// decide looks at the edges between tasks as they are after the change.
func (r rewiring) decide(around map[task.ID]bool) (Circles, error) {
	id := r.after.ID
	n := newNet(around)
	err := n.read(r.ties, func(t query.Tie) bool { return t.Child && t.To == id || !t.Child && t.From == id })
	if err != nil {
		return Circles{}, err
	}
	for _, t := range r.own() {
		n.add(t)
	}
	at := n.place[id]
	n.marked[at] = r.before.InCircle
	for _, k := range n.kinds() {
		way, err := graph.Way(k.Out(at), at, func(v int32) ([]int32, error) { return k.Out(v), nil })
		if err != nil {
			return Circles{}, err
		}
		if way != nil {
			text := k.words(words.Each(n.named(append([]int32{at}, way...)), func(id task.ID) string { return string(id) }))
			return Circles{}, fault.Bad("the edit makes %s", text).WithMissing(text).WithHint("leave out one of the links of the cycle")
		}
	}
	return r.circles(n), nil
}

// circles returns the result of the change: the children whose marks change, and the paths of the ones that it puts in
// a circle.
func (r rewiring) circles(n *net) (out Circles) {
	found, at := circlesOf(n.deps, n.parent), n.place[r.after.ID]
	out.New = r.after.ID == "" && found.Has(at)
	var ways [][]int32
	out.Marks, ways, out.more = n.judge(found, func(v int32) bool { return v == at })
	for _, way := range ways {
		out.ways = append(out.ways, n.named(way))
	}
	return out
}
