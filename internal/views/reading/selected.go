package reading

import (
	"cmp"
	"strconv"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// selected is a list in the order of selection: the ready tasks, the other open ones, and then the closed ones, which are
// no longer selected, the last closed first. The open ones are read along the frontier, so that the first page of a large
// project costs no more than that of a small one.
type selected struct {
	core.Scene
	q     query.List
	found func(*task.Task) bool
	taken *query.Taken
	tasks []*task.Task
	ends  []string // the cursor after each task
}

// closedPart begins a cursor that continues among the closed tasks.
const closedPart = "c"

// listSelected returns a page of a list in the order of selection, the total, and the cursor of the next page.
func listSelected(sc core.Scene, q query.List) ([]*task.Task, query.Count, string, error) {
	if q.Group != query.ByID {
		return nil, query.Count{}, "", fault.Bad("tasks in the order of selection are not grouped").WithMissing(fault.Parameter("group")).
			WithHint("leave out group, or sort by %s", query.ByPriority)
	}
	l := &selected{Scene: sc, q: q, taken: query.Page{Records: q.Limit, Bytes: q.Bytes}.Taken()}
	var err error
	if l.found, err = l.conditions(); err != nil {
		return nil, query.Count{}, "", err
	}
	next, err := l.page()
	if err != nil {
		return nil, query.Count{}, "", err
	}
	count := q
	count.Sort, count.Limit, count.Bytes, count.Cursor = query.ByID, 1, 1, ""
	_, total, _, err := sc.View.List(count)
	return l.tasks, total, next, err
}

// conditions returns whether the query finds an open task.
func (l *selected) conditions() (func(*task.Task) bool, error) {
	own := l.q.Own(l.View.Now())
	var among []map[task.ID]bool
	if l.q.Under != "" {
		below, err := l.View.Below(l.q.Under)
		if err != nil {
			return nil, err
		}
		among = append(among, setOf(task.IDsOf(below)))
	}
	if l.q.Mark != "" { // marks cut across states, and few tasks have one
		marked, _, _, err := l.View.List(query.List{Project: l.q.Project, Mark: l.q.Mark, Reader: l.q.Reader, Limit: query.MaxScanned})
		if err != nil {
			return nil, err
		}
		among = append(among, setOf(task.IDsOf(marked)))
	}
	for _, along := range []struct {
		of   task.ID
		read func([]task.ID, int) ([]query.Edge, error)
		end  func(query.Edge) task.ID
	}{
		{l.q.DependsOn, l.View.EdgesTo, func(e query.Edge) task.ID { return e.From }},
		{l.q.DependencyOf, l.View.EdgesFrom, func(e query.Edge) task.ID { return e.To }},
	} {
		if along.of == "" {
			continue
		}
		edges, err := along.read([]task.ID{along.of}, query.MaxScanned)
		if err != nil {
			return nil, err
		}
		ids := make([]task.ID, len(edges))
		for i, e := range edges {
			ids[i] = along.end(e)
		}
		among = append(among, setOf(ids))
	}
	return func(t *task.Task) bool {
		for _, set := range among {
			if !set[t.ID] {
				return false
			}
		}
		return own(t)
	}, nil
}

func setOf(ids []task.ID) map[task.ID]bool {
	set := make(map[task.ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// page reads the page at the query's cursor, and returns the cursor of the next one.
func (l *selected) page() (next string, err error) {
	cursor, closed := strings.CutPrefix(l.q.Cursor, closedPart)
	if !closed {
		at, err := strconv.Atoi(cmp.Or(cursor, "0"))
		if err != nil || at < 0 {
			return "", fault.Bad("cursor %q is not one of ours", l.q.Cursor).WithMissing(fault.Parameter("cursor")).
				WithHint("take nextCursor from the previous answer, or leave it out")
		}
		if next, err = l.open(at); err != nil {
			return "", err
		}
		fit, err := l.View.FillWithin(l.q.Bytes, l.tasks...)
		if err != nil {
			return "", err
		}
		if fit < len(l.tasks) {
			l.tasks, next = l.tasks[:fit], l.ends[fit-1]
		}
		if next != "" {
			return next, nil
		}
		cursor = ""
	}
	return l.closed(cursor)
}

// open reads the open tasks from a position on, and returns the position of the next page; empty after the last task.
func (l *selected) open(from int) (next string, err error) {
	var ready, rest query.States
	for _, s := range l.q.States() {
		switch s {
		case task.StateReady:
			ready = 1 << s
		case task.StateDone, task.StateCancelled:
		default:
			rest |= 1 << s
		}
	}
	at := 0
	for _, among := range []query.States{ready, rest} {
		if among == 0 || next != "" {
			continue
		}
		q := query.Frontier{Project: l.Project.Slug, Policy: l.Policy, Actor: l.Actor, Lane: query.LaneAmong, Among: among}
		err := l.View.Walk(q, func(t *task.Task) bool {
			at++
			if at <= from || at-from <= query.MaxScanned && !l.found(t) {
				return true
			}
			if at-from > query.MaxScanned || !l.taken.Add(query.TaskBytes(t)) {
				next = strconv.Itoa(at - 1)
				return false
			}
			l.tasks, l.ends = append(l.tasks, t), append(l.ends, strconv.Itoa(at))
			return true
		})
		if err != nil {
			return "", err
		}
	}
	return next, nil
}

// closed reads the closed tasks into the room that is left, and returns the cursor of the next page.
func (l *selected) closed(cursor string) (string, error) {
	q := l.q
	q.Cursor, q.Sort, q.State, q.Among = cursor, query.ByClosed, nil, 0
	for _, s := range l.q.States() {
		if s == task.StateDone || s == task.StateCancelled {
			q.Among |= 1 << s
		}
	}
	if q.Among == 0 {
		return "", nil
	}
	if l.taken.Full() {
		return closedPart + cursor, nil // whether there is one shows on the next page
	}
	if q.Limit > 0 {
		q.Limit -= len(l.tasks)
	}
	tasks, _, next, err := l.View.List(q)
	if err != nil {
		return "", err
	}
	l.tasks = append(l.tasks, tasks...)
	if next != "" {
		next = closedPart + next
	}
	return next, nil
}
