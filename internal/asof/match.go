package asof

import (
	"cmp"
	"slices"
	"strings"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

// matches returns whether a query finds a task, apart from conditions on other tasks.
func (s *snapshot) matches(q query.List) func(*task.Task) bool {
	own := q.Own(s.was.At)
	return func(t *task.Task) bool {
		return own(t) && (q.DependsOn == "" || slices.Contains(t.Deps, q.DependsOn)) && (q.Mark == "" || t.NeedsAnswer())
	}
}

// under returns the tasks of the overlay that are below another one. None of them has changed its parent.
func (s *snapshot) under(top task.ID) (map[task.ID]bool, error) {
	up := make(map[task.ID]task.ID, len(s.ids))
	var todo []task.ID
	for _, id := range s.ids {
		if t := cmp.Or(s.Then(id), s.Now(id)); t != nil {
			up[id] = task.ID(t.Parent)
			todo = append(todo, up[id])
		}
	}
	for len(todo) > 0 { // level by level
		slices.Sort(todo)
		todo = slices.DeleteFunc(slices.Compact(todo), func(id task.ID) bool { _, known := up[id]; return known || id == "" || id == top })
		found, err := s.tx.TasksByID(todo)
		if err != nil {
			return nil, err
		}
		for _, id := range todo {
			up[id] = ""
		}
		todo = nil
		for _, t := range found {
			up[t.ID] = task.ID(t.Parent)
			todo = append(todo, up[t.ID])
		}
	}
	down := map[task.ID][]task.ID{}
	for id, parent := range up {
		down[parent] = append(down[parent], id)
	}
	in := map[task.ID]bool{}
	for todo := []task.ID{top}; len(todo) > 0; todo = todo[1:] {
		for _, id := range down[todo[0]] {
			in[id] = true
		}
		todo = append(todo, down[todo[0]]...)
		delete(down, todo[0]) // parents have no cycle, and if they had, it would end here
	}
	return in, nil
}

// compare orders two tasks of the list.
func (l *listing) compare(a, b *task.Task) int {
	return cmp.Or(compareBy(l.q.Group, a, b), l.closedLast(a, b), compareBy(l.q.Sort, a, b), task.CompareIDs(a.ID, b.ID))
}

// closedLast puts closed tasks behind the open ones in every order but by number.
func (l *listing) closedLast(a, b *task.Task) int {
	if l.q.Sort == query.ByID {
		return 0
	}
	return cmp.Compare(rank(a), rank(b))
}

// orders are the orders of a list, except by number.
var orders = map[query.Sort]func(a, b *task.Task) int{
	query.ByDue:      func(a, b *task.Task) int { return cmp.Compare(dueOf(a), dueOf(b)) },
	query.ByPriority: func(a, b *task.Task) int { return cmp.Compare(a.Priority, b.Priority) },
	query.ByAge:      func(a, b *task.Task) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) },
	query.ByTitle:    func(a, b *task.Task) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) },
	query.ByState:    func(a, b *task.Task) int { return cmp.Compare(a.State(), b.State()) },
	query.ByHolder:   func(a, b *task.Task) int { return noneLast(string(a.Holder()), string(b.Holder()), strings.Compare) },
	query.ByClosed:   func(a, b *task.Task) int { return cmp.Compare(b.ClosedAt, a.ClosedAt) },
	query.ByParent:   func(a, b *task.Task) int { return noneLast(task.ID(a.Parent), task.ID(b.Parent), task.CompareIDs) },
}

func compareBy(by query.Sort, a, b *task.Task) int {
	if order := orders[by]; order != nil {
		return order(a, b)
	}
	return 0
}

// noneLast compares names and puts the empty one last.
func noneLast[T ~string](a, b T, compare func(a, b T) int) int {
	switch {
	case a == b:
		return 0
	case a == "":
		return 1
	case b == "":
		return -1
	}
	return compare(a, b)
}

func dueOf(t *task.Task) task.Time {
	if at, ok := t.DueAt(); ok {
		return at
	}
	return task.Unwritten
}
