package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
	"tasker/internal/views/picture/chart"
	"tasker/internal/views/reading"
)

// tasksBody is a page of a project's tasks.
type tasksBody struct {
	reading.ListOut
	Status   string
	State    string // a state, or anyOpen or everything
	Mark     string
	Ready    string // true or false: on the frontier or not
	Q        string
	HeldBy   string
	Parent   string
	Under    string
	Gate     string
	Priority string
	Overdue  bool
	Group    string
	Sort     string
	Slug     string
	Statuses []task.Status
	States   []string
	Counts   *taskCounts        // nil for an earlier moment
	Parents  map[task.ID]string // the titles of the tasks that the listed ones are part of
}

// taskCounts is how many tasks of a project each filter by state leads to.
type taskCounts struct {
	task.StateCounts
	Open, All, Overdue int
	Marks              map[string]int
}

// The filters by state that are not states.
const (
	anyOpen    = "open" // what the page shows if nothing else is asked for
	everything = "all"
)

// taskGroup is tasks of a page that belong together, with a heading if the page is grouped.
type taskGroup struct {
	reading.ListGroup
	Heading string
	Listed  []*task.Task
}

func (s *site) tasks(a *asker, p *shown) any {
	q := a.r.URL.Query()
	in := reading.ListIn{
		Limit: a.number("limit"), Priority: a.number("priority"), Project: a.slug(), Status: q.Get("status"), HeldBy: q.Get("heldBy"),
		Parent: q.Get("parent"), Gate: q.Get("gate"), Under: q.Get("under"), Overdue: q.Get("due") == "overdue", Mark: q.Get("mark"),
		Ready: a.flag("ready"), Q: q.Get("q"), Cursor: q.Get("cursor"), Group: q.Get("group"), Sort: q.Get("sort"), At: a.at(),
	}
	body := tasksBody{Status: in.Status, State: q.Get("state"), Mark: in.Mark, Ready: q.Get("ready"), Q: in.Q, HeldBy: in.HeldBy, Parent: in.Parent, Under: in.Under,
		Gate: in.Gate, Priority: q.Get("priority"), Overdue: in.Overdue, Group: in.Group, Slug: in.Project, Statuses: task.Statuses, States: task.States}
	if body.State == "" && !body.Narrowed() {
		body.State = anyOpen
	}
	switch body.State {
	case anyOpen:
		if in.Status == "" {
			in.Status = openStatuses
		}
	case everything:
	default:
		in.State = body.State
	}
	switch {
	case in.Group != "" && in.Sort == string(query.BySelection):
		in.Sort = string(query.ByPriority) // groups have an order of their own
	case in.Group == "" && in.Sort == "":
		in.Sort = string(query.BySelection)
	}
	body.Sort = in.Sort
	body.ListOut = ask(a, op.List, in)
	body.Tasks = markedForPeople(body.Tasks, body.ForPeople)
	a.history(p, body.At)
	body.Parents = ask(a, op.Titles, reading.TitlesIn{Slug: in.Project, IDs: parentsOf(body.Tasks)})
	if a.err == nil && body.At == nil {
		n := taskCounts{StateCounts: p.Project.States(), Open: p.Project.Tasks.Left(), All: p.Project.Tasks.Total(), Marks: map[string]int{}}
		n.Overdue = ask(a, op.List, reading.ListIn{Project: in.Project, Overdue: true, Limit: new(1)}).Total
		for _, m := range task.Marks {
			n.Marks[m] = ask(a, op.List, reading.ListIn{Project: in.Project, Mark: m, Limit: new(1)}).Total
		}
		body.Counts = &n
	}
	return body
}

// markedForPeople returns tasks with the autonomy in force of those that only people may hold, also where they declare none.
func markedForPeople(tasks []*task.Task, people []task.ID) []*task.Task {
	out := slices.Clone(tasks)
	for i, t := range out {
		if slices.Contains(people, t.ID) {
			marked := *t
			marked.Autonomy = task.Opt(task.HumanOnly)
			out[i] = &marked
		}
	}
	return out
}

// parentsOf returns the tasks that some tasks are part of, each once.
func parentsOf(tasks []*task.Task) (ids []task.ID) {
	for _, t := range tasks {
		if t.Parent != "" && !slices.Contains(ids, task.ID(t.Parent)) {
			ids = append(ids, task.ID(t.Parent))
		}
	}
	return ids
}

// openStatuses are the statuses of open tasks.
var openStatuses = words.List(slices.DeleteFunc(slices.Clone(task.Statuses), task.Status.Closed))

// Priorities returns all priorities, as the filter names them.
func (tasksBody) Priorities() []string { return []string{"0", "1", "2", "3"} }

// Sorts returns the orders that a reader can choose.
func (b tasksBody) Sorts() []string {
	return slices.DeleteFunc(slices.Clone(query.Sorts), func(name string) bool {
		return b.At != nil && query.Sort(name) == query.ByChanged || b.Group != "" && query.Sort(name) == query.BySelection
	})
}

// GroupNames returns what tasks can be grouped by.
func (tasksBody) GroupNames() []string { return query.Groups }

// Often returns the common filters, keeping the current order and grouping. Each says how many tasks it leads to.
func (b tasksBody) Often() []choice {
	with := func(name, value string) string {
		q := url.Values{}
		for k, v := range map[string]string{name: value, "group": b.Group, "sort": b.sort()} {
			if k != "" && v != "" {
				q.Set(k, v)
			}
		}
		if b.At != nil {
			q.Set("at", strconv.FormatInt(b.At.Event, 10))
		}
		return strings.TrimSuffix("/p/"+b.Slug+"/tasks?"+q.Encode(), "?")
	}
	n := b.Counts
	if n == nil {
		n = &taskCounts{}
	}
	alone := !b.Narrowed()
	out := []choice{
		{"open", "", with("", ""), n.Open, b.State == anyOpen && alone, false},
		{"all", "", with("state", everything), n.All, b.State == everything && alone, false},
	}
	for i, s := range b.States {
		name := chart.Word(s)
		if s == task.States[task.StateAsked] {
			name = s // the mark below has that word: it lists these and the held ones
		}
		out = append(out, choice{name, glyph(s), with("state", s), n.StateCounts[i], s == b.State && alone, false})
	}
	for _, m := range task.Marks {
		if b.At == nil || m == string(task.MarkNeedsAnswer) {
			out = append(out, choice{chart.Word(m), glyph(m), with("mark", m), n.Marks[m], m == b.Mark && b.State == "", true})
		}
	}
	return append(out, choice{"overdue", "!", with("due", "overdue"), n.Overdue, b.Overdue && b.State == "", true})
}

// SortName returns the name of the order.
func (b tasksBody) SortName() string { return cmp.Or(b.Sort, "id") }

// sort returns the order as the address has it: nothing for the one that the page has by itself.
func (b tasksBody) sort() string {
	if b.Group == "" && b.Sort == string(query.BySelection) {
		return ""
	}
	return b.Sort
}

// choice is a link to the same page with something else chosen.
type choice struct {
	Name, Glyph, Href string
	N                 int
	Current           bool
	Across            bool // it cuts across the states
}

// Filtered reports whether one of the folded filters is set.
func (b tasksBody) Filtered() bool {
	return b.Status+b.HeldBy+b.Parent+b.Under+b.Gate+b.Priority != "" || b.Overdue
}

// Grouped returns the tasks in their groups, or all of them in one.
func (b tasksBody) Grouped() (out []taskGroup) {
	if len(b.Groups) == 0 {
		return []taskGroup{{Listed: b.Tasks}}
	}
	rest := b.Tasks
	for _, g := range b.Groups {
		shown := taskGroup{ListGroup: g, Heading: g.Name, Listed: rest[:g.Tasks]}
		rest = rest[g.Tasks:]
		switch {
		case g.Name == "" && b.Group == string(query.ByHolder):
			shown.Heading = "held by nobody"
		case g.Name == "":
			shown.Heading = "part of nothing"
		case b.Group == string(query.ByState):
			shown.Heading = chart.Word(g.Name)
		}
		out = append(out, shown)
	}
	return out
}

// Narrowed reports whether a filter other than the one by state is set.
func (b tasksBody) Narrowed() bool {
	return b.Status+b.Ready+b.Mark+b.Q+b.HeldBy+b.Parent+b.Under+b.Gate+b.Priority != "" || b.Overdue
}
