package asof

import (
	"cmp"
	"slices"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Flow returns what the tasks that were open waited for. A task outside the overlay waited for what it waits for now.
func (v *View) Flow(slug string) (query.Flow, error) {
	now, err := v.tx.Flow(slug)
	if err != nil {
		return query.Flow{}, err
	}
	stored := now.IDs()
	open := make(map[task.ID]bool, len(stored))
	for _, id := range stored {
		open[id] = !v.s.Has(id)
	}
	mine := task.IDsOf(v.s.replaced(nil, isOpen))
	for _, id := range mine {
		open[id] = true
	}
	ids := sorted(append(v.s.others(stored), mine...))
	theirs := func(e query.Edge) bool { return v.s.Has(e.From) }
	deps, parts := slices.DeleteFunc(now.Named(now.Deps), theirs), slices.DeleteFunc(now.Named(now.Parts), theirs)
	ties, err := v.TiesFrom(mine)
	depends := map[query.Edge]bool{}
	for _, t := range ties {
		if e := (query.Edge{From: t.From, To: t.To}); !t.Child {
			depends[e] = true
			if open[t.To] {
				deps = append(deps, e)
			}
		}
	}
	for _, t := range ties {
		if e := (query.Edge{From: t.From, To: t.To}); t.Child && !t.InCircle && open[t.To] && !depends[e] {
			parts = append(parts, e)
		}
	}
	return query.NewFlow(slug, ids, deps, parts), err
}

// Neighbours returns the neighbours of a task, open ones first.
func (v *View) Neighbours(t *task.Task, limit int) (query.Neighbours, error) {
	now := t
	if stored := v.s.Now(t.ID); stored != nil {
		now = stored // its counts tell what to look for
	}
	before := len(now.Deps) - len(v.s.others(now.Deps))
	out, err := v.tx.Neighbours(now, limit+max(v.s.below[t.ID], v.s.behind[t.ID], before))
	if err != nil {
		return query.Neighbours{}, err
	}
	add := func(list []*task.Task, were []task.ID) []*task.Task {
		list = slices.DeleteFunc(list, func(k *task.Task) bool { return v.s.Has(k.ID) })
		for _, id := range were {
			if k := v.s.Then(id); k != nil {
				list = append(list, k)
			}
		}
		byNumber(list)
		slices.SortStableFunc(list, func(a, b *task.Task) int { return cmp.Compare(rank(a), rank(b)) })
		return list[:min(len(list), limit)]
	}
	if v.s.Has(t.ID) {
		if out.Deps, err = v.TasksByID(t.Deps); err != nil {
			return query.Neighbours{}, err
		}
	}
	out.Children, out.Dependents = add(out.Children, v.s.children[t.ID]), add(out.Dependents, v.s.dependents[t.ID])
	out.Deps = add(out.Deps, t.Deps)
	return out, nil
}

// rank puts closed tasks after the others.
func rank(t *task.Task) int { return store.One(t.Status.Closed()) }

// Ancestry returns the ancestors from the parent up, and how many of the nearest have their bodies.
func (v *View) Ancestry(id task.ID, limit, bytes int) (up []*task.Task, bodied int, err error) {
	t, err := v.Task(id)
	for err == nil && t.Parent != "" && len(up) < limit {
		if t, err = v.Task(task.ID(t.Parent)); err == nil {
			c := *t
			up = append(up, &c)
		}
	}
	if err != nil {
		return nil, 0, err
	}
	bodied, err = v.FillWithin(bytes, up...)
	return up, bodied, err
}
