package asof

import (
	"slices"

	"tasker/internal/event/rewind"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// overlay holds the tasks that may have changed since, with the edges between them and any others.
type overlay struct {
	*rewind.State
	ids        []task.ID             // by number
	children   map[task.ID][]task.ID // the children, among these tasks, that any task had then, by number
	dependents map[task.ID][]task.ID // likewise
	below      map[task.ID]int       // how many of these tasks are children of a task now
	behind     map[task.ID]int       // how many of these tasks depend on a task now
	moved      bool                  // one of them has changed its parent
}

func newOverlay(state *rewind.State) *overlay {
	o := &overlay{
		State: state, ids: state.IDs(), children: map[task.ID][]task.ID{}, dependents: map[task.ID][]task.ID{}, below: map[task.ID]int{}, behind: map[task.ID]int{},
	}
	for _, id := range o.ids {
		now, then := o.Now(id), o.Then(id)
		if then != nil {
			for _, on := range then.Deps {
				o.dependents[on] = append(o.dependents[on], id)
			}
			o.children[task.ID(then.Parent)] = append(o.children[task.ID(then.Parent)], id)
		}
		if now != nil {
			for _, on := range now.Deps {
				o.behind[on]++
			}
			o.below[task.ID(now.Parent)]++
		}
		o.moved = o.moved || now != nil && then != nil && now.Parent != then.Parent
	}
	return o
}

// were yields the tasks of the overlay that existed then, by number.
func (o *overlay) were(yield func(*task.Task) bool) {
	for _, id := range o.ids {
		if t := o.Then(id); t != nil && !yield(t) {
			return
		}
	}
}

// count turns a count of the tasks as they are into one of the tasks as they were: it calls add for every task of the
// overlay, with -1 for the task as it is and 1 for the task as it was.
func (o *overlay) count(add func(t *task.Task, by int)) {
	for _, id := range o.ids {
		if t := o.Now(id); t != nil {
			add(t, -1)
		}
		if t := o.Then(id); t != nil {
			add(t, 1)
		}
	}
}

// some counts the tasks of the overlay that a stored list finds today: it may lose that many entries.
func (o *overlay) some(is func(*task.Task) bool) (n int) {
	for _, id := range o.ids {
		if t := o.Now(id); t != nil && is(t) {
			n++
		}
	}
	return n
}

// ties returns the edges as they were, given the stored ones.
func (o *overlay) ties(stored plan.Ties) plan.Ties {
	keep := func(ties []query.Tie) []query.Tie {
		return slices.DeleteFunc(slices.Clone(ties), func(t query.Tie) bool { return t.Child && o.Has(t.To) || !t.Child && o.Has(t.From) })
	}
	child := func(id task.ID) query.Tie {
		t := o.Then(id)
		return query.Tie{From: task.ID(t.Parent), To: id, Child: true, InCircle: t.InCircle}
	}
	return plan.Ties{
		From: func(ids []task.ID) ([]query.Tie, error) {
			ties, err := stored.From(ids)
			out := keep(ties)
			for _, id := range ids {
				if t := o.Then(id); t != nil {
					for _, on := range t.Deps {
						out = append(out, query.Tie{From: id, To: on})
					}
				}
				for _, part := range o.children[id] {
					out = append(out, child(part))
				}
			}
			return out, err
		},
		To: func(ids []task.ID) ([]query.Tie, error) {
			ties, err := stored.To(ids)
			out := keep(ties)
			for _, id := range ids {
				for _, by := range o.dependents[id] {
					out = append(out, query.Tie{From: by, To: id})
				}
				if t := o.Then(id); t != nil && t.Parent != "" {
					out = append(out, child(id))
				}
			}
			return out, err
		},
	}
}
