package past

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/task/rewind"
)

// snapshot is a project as it was.
type snapshot struct {
	state      *rewind.State
	was        *Was
	project    *task.Project
	tasks      []*task.Task // by number
	byID       map[task.ID]*task.Task
	dependents map[task.ID][]task.ID
	children   map[task.ID][]task.ID
}

func newSnapshot(sc core.Scene, state *rewind.State, was *Was) *snapshot {
	p := *sc.Project
	p.Tasks, p.Ready, p.Held, p.Waiting, p.FlowVersion = task.Counts{}, 0, 0, 0, -was.Event
	s := &snapshot{
		state: state, was: was, project: &p, tasks: state.Tasks(),
		byID: map[task.ID]*task.Task{}, dependents: map[task.ID][]task.ID{}, children: map[task.ID][]task.ID{},
	}
	for _, t := range s.tasks {
		s.byID[t.ID] = t
		for _, on := range t.Deps {
			s.dependents[on] = append(s.dependents[on], t.ID)
		}
		if t.Parent != "" {
			s.children[task.ID(t.Parent)] = append(s.children[task.ID(t.Parent)], t.ID)
		}
		*p.Tasks.Of(t.Status)++
		switch t.State() {
		case task.StateReady:
			p.Ready++
		case task.StateWaiting:
			p.Waiting++
		case task.StateHeld:
			p.Held++
		default:
		}
	}
	return s
}

// clock tells the moment that a snapshot is of.
type clock struct{ at task.Time }

// Now returns the moment.
func (c clock) Now() task.Time { return c.at }

// log is the log up to the event of a snapshot.
type log struct {
	core.LogReader
	s *snapshot
}

// Events returns events up to the one of the snapshot.
func (l log) Events(q query.Events) ([]task.Event, error) {
	end := l.s.was.Event + 1
	if q.BeforeID == nil || *q.BeforeID > end {
		q.BeforeID = &end
	}
	return l.LogReader.Events(q)
}

// LastEvent returns the event of the snapshot.
func (l log) LastEvent() int64 { return l.s.was.Event }

// projects answers of one project what it was.
type projects struct {
	core.ProjectReader
	s *snapshot
}

// Get returns the project with the counts that it had.
func (p projects) Get(slug string) (*task.Project, error) {
	found, err := p.ProjectReader.Get(slug)
	if err != nil || found.Slug != p.s.project.Slug {
		return found, err
	}
	return p.s.project, nil
}

// Overdue counts the open tasks whose due moment had passed.
func (p projects) Overdue(string) (n int, err error) {
	for _, t := range p.s.tasks {
		if end, ok := t.Deadline(); ok && end < p.s.was.At {
			n++
		}
	}
	return n, nil
}

// ClosedSince counts the closed tasks that were closed at since or later.
func (p projects) ClosedSince(_ string, since task.Time) (n int, err error) {
	for _, t := range p.s.tasks {
		if t.Status.Closed() && t.ClosedAt >= since {
			n++
		}
	}
	return n, nil
}

// ReadyBy returns the ready tasks by what they declare for routing, and how many a blocking question kept back.
func (p projects) ReadyBy(string) (ready []query.RouteCount, keptBack int, err error) {
	for _, t := range p.s.tasks {
		if t.Ready() {
			ready = append(ready, query.RouteCount{Autonomy: t.Autonomy, MayExecute: t.MayExecute, Ready: 1})
		}
		if t.KeptBack() {
			keptBack++
		}
	}
	return ready, keptBack, nil
}

// tasks answers with tasks as they were.
type tasks struct {
	core.TaskReader
	s *snapshot
}

// Get returns not found for a task that there was not.
func (r tasks) Get(id task.ID) (*task.Task, error) {
	now, err := r.TaskReader.Get(id)
	if err == nil {
		id = now.ID // it may have had another name
	}
	if t := r.s.byID[id]; t != nil {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, fault.Missing("there was no task %s at event %d", id, r.s.was.Event).WithHint("it was made later: leave at out, or name a later event")
}

// ByID returns those of the ids that there were, in the order asked for.
func (r tasks) ByID(ids []task.ID) (out []*task.Task, err error) {
	for _, id := range ids {
		if t := r.s.byID[id]; t != nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// Titles returns the titles that tasks had.
func (r tasks) Titles(_ string, ids []task.ID) (map[task.ID]string, error) {
	out := make(map[task.ID]string, len(ids))
	for _, id := range ids {
		if t := r.s.byID[id]; t != nil {
			out[id] = t.Title
		}
	}
	return out, nil
}

// Fill loads bodies, of which those that were changed since are known already.
func (r tasks) Fill(list ...*task.Task) error {
	_, err := r.FillWithin(0, list...)
	return err
}

// FillWithin is Fill for as many tasks as fit a page of some bytes.
func (r tasks) FillWithin(bytes int, list ...*task.Task) (int, error) {
	filled := make([]*task.Task, len(list))
	for i, t := range list {
		c := *t
		filled[i] = &c
	}
	fit := len(list)
	var err error
	if bytes == 0 {
		err = r.TaskReader.Fill(filled...)
	} else {
		fit, err = r.TaskReader.FillWithin(bytes, filled...)
	}
	if err != nil {
		return 0, err
	}
	for i, t := range list[:fit] {
		if !r.s.state.Bodied(t.ID) {
			t.Body = filled[i].Body
		}
	}
	return fit, nil
}

// List returns the tasks that a query finds, a page at a time. The cursor is the number of tasks that came before.
func (r tasks) List(q query.List) ([]*task.Task, query.Count, string, error) {
	if q.Sort == query.ByChanged {
		return nil, query.Count{}, "", fault.Bad("what had changed last is not known of an earlier moment").WithMissing(fault.Parameter("sort")).
			WithHint("leave at out, or sort by %s", strings.Join(sortable, ", "))
	}
	var found []*task.Task
	for _, t := range r.s.tasks {
		if r.s.matches(q, t) {
			found = append(found, t)
		}
	}
	r.s.sort(q.Sort, found)
	r.s.sort(q.Group, found) // within a group the order stays
	total, from := len(found), 0
	if q.Cursor != "" {
		for _, c := range q.Cursor {
			if c < '0' || c > '9' || from > MaxTasks {
				return nil, query.Count{}, "", fault.Bad("the cursor is not one of this list").WithMissing(fault.Parameter("cursor")).
					WithHint("give the nextCursor of the page before, with the same at")
			}
			from = from*10 + int(c-'0')
		}
	}
	found = found[min(from, total):]
	if q.Limit > 0 {
		found = found[:min(len(found), q.Limit)]
	}
	if q.Bytes > 0 {
		fit, err := r.FillWithin(q.Bytes, found...)
		if err != nil {
			return nil, query.Count{}, "", err
		}
		found = found[:fit]
	}
	next := ""
	if end := from + len(found); end < total && len(found) > 0 {
		next = strconv.Itoa(end)
	}
	return found, query.Count{N: total}, next, nil
}

// sortable are the orders of an earlier moment: no event tells what the moment of the last change was before it.
var sortable = slices.DeleteFunc(slices.Clone(query.Sorts), func(name string) bool { return query.Sort(name) == query.ByChanged })

// matches reports whether a query finds a task.
func (s *snapshot) matches(q query.List, t *task.Task) bool {
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) }
	end, due := t.Deadline()
	switch {
	case !slices.Contains(q.States(), t.State()), q.Key != "" && t.Key != q.Key, q.Gate != "" && string(t.Gate) != q.Gate,
		q.Priority != nil && t.Priority != *q.Priority, q.Parent != "" && task.ID(t.Parent) != q.Parent,
		q.DependsOn != "" && !slices.Contains(t.Deps, q.DependsOn),
		q.Overdue && (!due || end >= s.was.At),
		q.HeldBy != "" && (t.Claim == nil || t.Claim.Actor != q.HeldBy && !strings.HasPrefix(t.Claim.Actor, q.HeldBy+"/")),
		q.Text != "" && !has(t.Title) && !has(t.Key) && !has(string(t.ID)):
		return false
	}
	if of := s.byID[q.DependencyOf]; q.DependencyOf != "" && (of == nil || !slices.Contains(of.Deps, t.ID)) {
		return false
	}
	return q.Under == "" || s.under(t, q.Under)
}

// under reports whether a task was below another one.
func (s *snapshot) under(t *task.Task, top task.ID) bool {
	for range len(s.tasks) {
		if task.ID(t.Parent) == top {
			return true
		}
		if t = s.byID[task.ID(t.Parent)]; t == nil {
			return false
		}
	}
	return false
}

// sort puts tasks, which come by number, in an order.
func (s *snapshot) sort(by query.Sort, list []*task.Task) {
	switch by {
	case query.ByDue:
		slices.SortStableFunc(list, func(a, b *task.Task) int { return cmp.Compare(dueOf(a), dueOf(b)) })
	case query.ByPriority:
		slices.SortStableFunc(list, func(a, b *task.Task) int { return cmp.Compare(a.Priority, b.Priority) })
	case query.ByAge:
		slices.SortStableFunc(list, func(a, b *task.Task) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) })
	case query.ByTitle:
		slices.SortStableFunc(list, func(a, b *task.Task) int { return cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)) })
	case query.ByState:
		slices.SortStableFunc(list, func(a, b *task.Task) int { return cmp.Compare(a.State(), b.State()) })
	case query.ByHolder:
		slices.SortStableFunc(list, func(a, b *task.Task) int { return noneLast(holderOf(a), holderOf(b), strings.Compare) })
	case query.ByParent:
		slices.SortStableFunc(list, func(a, b *task.Task) int { return noneLast(task.ID(a.Parent), task.ID(b.Parent), task.CompareIDs) })
	default:
	}
}

// noneLast compares names, of which the empty one is last.
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

func holderOf(t *task.Task) string {
	if t.Claim == nil {
		return ""
	}
	return t.Claim.Actor
}

func dueOf(t *task.Task) task.Time {
	if at, ok := t.DueAt(); ok {
		return at
	}
	return task.Unwritten
}
