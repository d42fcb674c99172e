package asof

import (
	"cmp"
	"slices"
	"sort"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// TiesFrom returns the dependencies of many tasks, and their children.
func (v *View) TiesFrom(ids []task.ID) ([]query.Tie, error) { return v.s.ties().From(ids) }

// TiesTo returns the dependencies on many tasks, and their parents.
func (v *View) TiesTo(ids []task.ID) ([]query.Tie, error) { return v.s.ties().To(ids) }

// Edges returns the dependencies of many tasks.
func (v *View) Edges(ids []task.ID) ([]query.Edge, error) {
	out, err := v.tx.Edges(v.s.others(ids))
	return v.from(ids, out), err
}

// EdgesFrom returns up to limit dependencies of many tasks, task by task.
func (v *View) EdgesFrom(ids []task.ID, limit int) ([]query.Edge, error) {
	out, err := v.tx.EdgesFrom(v.s.others(ids), limit)
	out = v.from(ids, out)
	return out[:min(len(out), limit)], err
}

// from adds the dependencies of the tasks in the overlay.
func (v *View) from(ids []task.ID, out []query.Edge) []query.Edge {
	for _, id := range ids {
		if t := v.s.Then(id); t != nil {
			for _, on := range t.Deps {
				out = append(out, query.Edge{From: id, To: on})
			}
		}
	}
	slices.SortFunc(out, func(a, b query.Edge) int { return cmp.Or(task.CompareIDs(a.From, b.From), task.CompareIDs(a.To, b.To)) })
	return out
}

// EdgesTo returns up to limit dependencies on many tasks, task by task.
func (v *View) EdgesTo(ids []task.ID, limit int) ([]query.Edge, error) {
	more := 0 // stored edges that may not have existed then
	for _, id := range ids {
		more += v.s.behind[id]
	}
	out, err := v.tx.EdgesTo(ids, limit+more)
	out = slices.DeleteFunc(out, func(e query.Edge) bool { return v.s.Has(e.From) })
	for _, id := range ids {
		for _, by := range v.s.dependents[id] {
			out = append(out, query.Edge{From: by, To: id})
		}
	}
	slices.SortFunc(out, func(a, b query.Edge) int { return cmp.Or(task.CompareIDs(a.To, b.To), task.CompareIDs(a.From, b.From)) })
	return out[:min(len(out), limit)], err
}

func sorted(ids []task.ID) []task.ID {
	return slices.SortedFunc(slices.Values(ids), task.CompareIDs)
}

// Children returns the children of a task.
func (v *View) Children(id task.ID) ([]task.ID, error) {
	out, err := v.tx.Children(id)
	return sorted(append(v.s.others(out), v.s.children[id]...)), err
}

// Dependents returns the tasks that depended on a task.
func (v *View) Dependents(id task.ID) ([]task.ID, error) {
	out, err := v.tx.Dependents(id)
	return sorted(append(v.s.others(out), v.s.dependents[id]...)), err
}

// Below returns every descendant of a task, by level and number. It reads the stored descendants of the task, and then
// only those of tasks that had another parent.
func (v *View) Below(id task.ID) ([]*task.Task, error) {
	children, looked, placed := map[task.ID][]*task.Task{}, map[task.ID]bool{}, map[task.ID]bool{}
	for todo := []task.ID{id}; len(todo) > 0; todo = todo[1:] {
		found, err := v.tx.Below(todo[0])
		if err != nil {
			return nil, err
		}
		for _, up := range append(task.IDsOf(found), todo[0]) {
			if looked[up] {
				continue
			}
			looked[up] = true
			for _, part := range v.s.children[up] {
				t := v.s.Then(part)
				children[up] = append(children[up], t)
				if now := v.s.Now(part); now == nil || now.Parent != t.Parent {
					todo = append(todo, part)
				}
			}
		}
		for _, t := range found {
			if !v.s.Has(t.ID) && !placed[t.ID] {
				placed[t.ID] = true
				children[task.ID(t.Parent)] = append(children[task.ID(t.Parent)], t)
			}
		}
	}
	var out []*task.Task
	for level := []task.ID{id}; len(level) > 0; {
		var next []*task.Task
		for _, up := range level {
			next = append(next, children[up]...)
			delete(children, up) // parents have no cycle, and if they had, it would end here
		}
		byNumber(next)
		out, level = append(out, next...), task.IDsOf(next)
	}
	return out, nil
}

// Epics returns the newest open tasks that had parts.
func (v *View) Epics(slug string, limit int) ([]query.Epic, bool, error) {
	stored, more, err := v.tx.Epics(slug, limit+v.s.some(isOpen))
	if err != nil {
		return nil, false, err
	}
	out := slices.DeleteFunc(stored, func(e query.Epic) bool { return v.s.Has(e.ID) })
	ties, err := v.TiesFrom(task.IDsOf(v.s.replaced(nil, isOpen)))
	if err != nil {
		return nil, false, err
	}
	for _, t := range ties {
		if up := v.s.Then(t.From); t.Child && up != nil {
			out = append(out, query.Epic{ID: up.ID, Title: up.Title})
		}
	}
	sort.Slice(out, func(i, j int) bool { return task.CompareIDs(out[i].ID, out[j].ID) < 0 })
	out = slices.Compact(out)
	return out[max(0, len(out)-limit):], more || len(out) > limit, nil
}

func isOpen(t *task.Task) bool { return !t.Status.Closed() }

// looked is how many dependencies, and how many parts, of a task are searched for the first open one, as in the store.
const looked = 200

// FirstAwaited returns, for each task, the first open task that it waited for: a dependency, or else a
// part; one that did not wait itself comes before one that did.
func (v *View) FirstAwaited(ids []task.ID) (map[task.ID]task.ID, error) {
	out, err := v.tx.FirstAwaited(v.s.others(ids))
	if err != nil {
		return nil, err
	}
	var mine []task.ID
	for _, id := range ids {
		if t := v.s.Then(id); t != nil && t.Waits() {
			mine = append(mine, id)
		}
	}
	ties, err := v.TiesFrom(mine)
	if err != nil {
		return nil, err
	}
	type kind struct {
		of   task.ID
		part bool
	}
	slices.SortFunc(ties, func(a, b query.Tie) int { return task.CompareIDs(a.To, b.To) })
	seen, best := map[kind]int{}, map[task.ID]int{} // how many of a kind were seen, and the rank of what was found
	ties = slices.DeleteFunc(ties, func(t query.Tie) bool {
		if t.InCircle {
			return true // it is not a part
		}
		k := kind{t.From, t.Child}
		seen[k]++
		return seen[k] > looked
	})
	near := make([]task.ID, len(ties))
	for i, t := range ties {
		near[i] = t.To
	}
	found, err := v.TasksByID(near)
	at := task.ByID(found)
	for _, t := range ties {
		if to := at[t.To]; to != nil && isOpen(to) {
			rank := 1 + 2*store.One(to.Waits()) + store.One(t.Child)
			if had := best[t.From]; had == 0 || rank < had {
				best[t.From], out[t.From] = rank, t.To
			}
		}
	}
	return out, err
}
