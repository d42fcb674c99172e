package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/op"
	"tasker/internal/picture/chart"
	"tasker/internal/reading"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// tasksBody is a page of a project's tasks.
type tasksBody struct {
	reading.ListOut
	Status   string
	State    string
	Q        string
	HeldBy   string
	Parent   string
	Under    string
	Gate     string
	Priority string
	Overdue  bool
	Mark     string
	Ready    string
	Group    string
	Sort     string
	Slug     string
	Statuses []task.Status
	States   []string
}

// taskGroup is tasks of a page that belong together, with a heading if the page is grouped.
type taskGroup struct {
	reading.ListGroup
	Heading string
	Listed  []*task.Task
}

func (s *site) tasks(r *http.Request, p *shown) error {
	p.Title = "Tasks"
	a, q := s.asker(r), r.URL.Query()
	limit, priority := a.number("limit"), a.number("priority")
	in := reading.ListIn{
		Project: r.PathValue("slug"), Status: q.Get("status"), State: q.Get("state"), HeldBy: q.Get("heldBy"), Parent: q.Get("parent"), Gate: q.Get("gate"),
		Under:    q.Get("under"),
		Priority: priority, Overdue: q.Get("due") == "overdue", Mark: q.Get("mark"), Ready: a.flag("ready"), Q: q.Get("q"), Cursor: q.Get("cursor"), Limit: limit,
		Group: q.Get("group"), Sort: q.Get("sort"), At: a.at(),
	}
	out := ask(a, op.List, in)
	a.history(p, out.At)
	p.Body = tasksBody{ListOut: out, Status: in.Status, State: in.State, Q: in.Q, HeldBy: in.HeldBy, Parent: in.Parent, Under: in.Under, Gate: in.Gate,
		Priority: q.Get("priority"), Overdue: in.Overdue, Mark: in.Mark, Ready: q.Get("ready"), Group: in.Group, Sort: in.Sort, Slug: in.Project, Statuses: task.Statuses, States: task.States}
	return a.err
}

// Priorities returns all priorities, as the filter names them.
func (tasksBody) Priorities() []string { return []string{"0", "1", "2", "3"} }

// Sorts returns the orders that a reader can choose.
func (b tasksBody) Sorts() []string {
	if b.At != nil {
		return slices.DeleteFunc(slices.Clone(query.Sorts), func(name string) bool { return query.Sort(name) == query.ByChanged })
	}
	return query.Sorts
}

// GroupNames returns what tasks can be grouped by.
func (tasksBody) GroupNames() []string { return query.Groups }

// Often returns the common filters, keeping the current order and grouping.
func (b tasksBody) Often() []choice {
	with := func(name, value string) string {
		q := url.Values{}
		for k, v := range map[string]string{name: value, "group": b.Group, "sort": b.Sort} {
			if k != "" && v != "" {
				q.Set(k, v)
			}
		}
		if b.At != nil {
			q.Set("at", strconv.FormatInt(b.At.Event, 10))
		}
		return strings.TrimSuffix("/p/"+b.Slug+"/tasks?"+q.Encode(), "?")
	}
	out := []choice{{"All", "", with("", ""), b.Everything()}}
	for _, s := range b.States {
		if s == task.States[task.StateAsked] && s != b.State {
			continue // the mark below lists these and the held ones
		}
		out = append(out, choice{chart.Word(s), glyph(s), with("state", s), s == b.State})
	}
	for _, m := range task.Marks {
		if b.At == nil || m == string(task.MarkNeedsAnswer) {
			out = append(out, choice{chart.Word(m), glyph(m), with("mark", m), m == b.Mark})
		}
	}
	return append(out, choice{"overdue", "!", with("due", "overdue"), b.Overdue})
}

// choice is a link to the same page with something else chosen.
type choice struct {
	Name, Glyph, Href string
	Current           bool
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

// Everything reports whether no filter is set.
func (b tasksBody) Everything() bool {
	return b.Status+b.State+b.Q+b.HeldBy+b.Parent+b.Under+b.Gate+b.Priority+b.Mark+b.Ready == "" && !b.Overdue
}
