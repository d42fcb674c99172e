package asof_test

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"tasker/internal/bundle"
	"tasker/internal/inbox"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
)

// seen is what a project looked like.
type seen struct {
	Board     reading.BoardOut
	Lanes     picture.LanesOut
	List      reading.ListOut
	Situation inbox.Situation
	Graph     picture.GraphOut
	Below     []picture.LanesOut
	Found     []string             // by lists with conditions, page by page
	Orders    map[string][]task.ID // of the list, by what it is sorted and grouped by
	Bundles   []bundle.Bundle
	Handed    []string // who held each task last, who took it to review, and by which event it came back
	Nodes     []string // of the whole picture
	Edges     []picture.NetworkEdge
	Spans     []picture.Held
	Ahead     []picture.Step
	Grown     picture.Level
}

// look reads a project as it is, or as it was.
func look(k *coretest.Kit, at *int64) seen {
	k.Helper()
	limit := 1000
	var out seen
	var err error
	out.Board, err = k.Reading.Board(coretest.Ann, reading.BoardIn{Slug: "demo", Limit: &limit, At: at})
	k.Must(err)
	out.Lanes, err = k.Picture.Lanes(coretest.Ann, picture.LanesIn{Group: true, Slug: "demo", Limit: &limit, At: at})
	k.Must(err)
	out.List, err = k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", Limit: &limit, At: at})
	k.Must(err)
	of, err := k.Inbox.ProjectOverview(coretest.Ann, inbox.ProjectOverviewIn{Slug: "demo", At: at})
	k.Must(err)
	out.Situation = of.Situation
	out.Situation.Stuck, out.Situation.Stalled, out.Situation.Unlanded = nil, nil, nil // what people had acknowledged earlier is not known
	out.Graph, err = k.Picture.Graph(coretest.Ann, picture.GraphIn{Task: "demo-2", At: at})
	k.Must(err)
	out.drawn(k, at)
	out.Orders = map[string][]task.ID{}
	for _, sorted := range query.Sorts {
		if sorted == string(query.ByChanged) {
			continue
		}
		for _, grouped := range append([]string{""}, query.Groups...) {
			if sorted == string(query.BySelection) && grouped != "" {
				continue
			}
			list, err := k.Reading.List(coretest.Ann, reading.ListIn{Project: "demo", Limit: &limit, At: at, Sort: sorted, Group: grouped})
			k.Must(err)
			for _, t := range list.Tasks {
				out.Orders[sorted+" "+grouped] = append(out.Orders[sorted+" "+grouped], t.ID)
			}
		}
	}
	for _, t := range out.List.Tasks {
		b, err := k.Reading.Show(coretest.Ann, reading.ShowIn{Task: string(t.ID), At: at})
		k.Must(err)
		out.Handed = append(out.Handed, fmt.Sprint(t.ID, " ", b.Task.LastHolder, " ", b.Task.ReviewBy, " ", b.Task.Returned))
		out.Bundles = append(out.Bundles, bundle.Bundle{
			Project: b.Project, Ancestors: b.Ancestors, Children: b.Children, Deps: b.Deps, Dependents: b.Dependents, Gate: b.Gate, Approvals: b.Approvals,
			Notes: b.Notes, Decisions: b.Decisions, Questions: b.Questions, Evidence: b.Evidence, Links: b.Links, RecentEvents: b.RecentEvents,
			Task: &task.Task{Body: b.Task.Body, Deps: b.Task.Deps},
		})
	}
	out.found(k, at)
	out.plain()
	return out
}

// found reads lists with conditions, in pages of two, and what is below tasks.
func (s *seen) found(k *coretest.Kit, at *int64) {
	k.Helper()
	two, low := 2, 3
	for _, in := range []reading.ListIn{
		{}, {Under: "demo-2"}, {Under: "demo-1", Sort: "title"}, {DependsOn: "demo-1"}, {DependencyOf: "demo-2"}, {DependencyOf: "demo-4", Under: "demo-2"},
		{Parent: "demo-2", Sort: "state"}, {Q: "o"}, {Q: "o", Sort: "priority"}, {Q: "o", Sort: "title", Under: "demo-1"}, {State: "ready", Group: "parent"}, {Blocked: new(true)}, {Ready: new(false)},
		{HeldBy: "bot"}, {Priority: &low, Sort: "age"}, {Overdue: true, Sort: "due"}, {Mark: "needs_answer"}, {Mark: "needs_answer", Sort: "title"}, {Key: "b"}, {Status: "done,cancelled", Sort: "holder"},
	} {
		in.Project, in.At, in.Limit = "demo", at, &two
		text := fmt.Sprintf("%s%s%s%s%s%s%s:", in.Under, in.DependsOn, in.DependencyOf, in.Parent, in.Q, in.State, in.Sort)
		for range 100 {
			list, err := k.Reading.List(coretest.Ann, in)
			k.Must(err)
			text += fmt.Sprint(" of ", list.Total)
			for _, t := range list.Tasks {
				text += " " + string(t.ID)
			}
			if in.Cursor = string(list.NextCursor); in.Cursor == "" {
				break
			}
		}
		s.Found = append(s.Found, text)
	}
	for _, epic := range []string{"demo-1", "demo-2", "demo-5"} {
		below, err := k.Picture.Lanes(coretest.Ann, picture.LanesIn{Slug: "demo", Epic: epic, At: at})
		k.Must(err)
		s.Below = append(s.Below, below)
	}
}

// drawn reads the pictures of a project. Positions follow from what is drawn, and the end of a chart from when it is
// read.
func (s *seen) drawn(k *coretest.Kit, at *int64) {
	k.Helper()
	net, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", Show: "all", At: at})
	k.Must(err)
	for _, n := range net.Nodes {
		s.Nodes = append(s.Nodes, fmt.Sprint(n.ID, n.Title, n.State, n.Critical, n.InCircle))
	}
	s.Edges = net.Edges
	front, err := k.Picture.Network(coretest.Ann, picture.NetworkIn{Slug: "demo", At: at})
	k.Must(err)
	for _, n := range front.Nodes {
		s.Nodes = append(s.Nodes, string(n.ID))
	}
	line, err := k.Picture.Timeline(coretest.Ann, picture.TimelineIn{Slug: "demo", At: at})
	k.Must(err)
	for _, h := range line.Spans {
		if h.End == "live" {
			h.To = 0
		}
		s.Spans = append(s.Spans, h)
	}
	s.Ahead = line.Ahead
	s.Grown = line.Burnup[len(line.Burnup)-1]
	s.Grown.At = 0
	when, err := k.Picture.Forecast(coretest.Ann, picture.ForecastIn{Slug: "demo", At: at})
	k.Must(err)
	s.Nodes = append(s.Nodes, when.Sentence)
}

// plain removes what events do not record: versions, and what extended a lease.
func (s *seen) plain() {
	claim := func(c *task.Claim) *task.Claim {
		if c == nil {
			return nil
		}
		return &task.Claim{Task: c.Task, Actor: c.Actor, Fence: c.Fence, ClaimedAt: c.ClaimedAt}
	}
	card := func(c *task.Card) { c.Version, c.UpdatedAt, c.Claim = 0, 0, claim(c.Claim) }
	s.Board.At, s.Lanes.At, s.List.At, s.Graph.At = nil, nil, nil, nil
	for i := range s.Below {
		s.Below[i].At = nil
		lanes(s.Below[i].Lanes, card)
	}
	for _, c := range s.Board.Columns {
		for i := range c.Tasks {
			card(&c.Tasks[i])
		}
	}
	lanes(s.Lanes.Lanes, card)
	for _, r := range s.Lanes.Rows {
		lanes(r.Lanes, card)
	}
	for i, t := range s.List.Tasks {
		c := task.Task{
			ID: t.ID, Key: t.Key, Title: t.Title, Body: t.Body, Parent: t.Parent, Deps: t.Deps, Status: t.Status, Priority: t.Priority, Severity: t.Severity,
			Due: t.Due, Gate: t.Gate, Touches: t.Touches, Criteria: t.Criteria, Links: t.Links, Claim: claim(t.Claim), OpenDeps: t.OpenDeps,
			OpenChildren: t.OpenChildren, CreatedBy: t.CreatedBy, CreatedAt: t.CreatedAt, ClosedAt: t.ClosedAt,
		}
		s.List.Tasks[i] = &c
	}
}

// lanes calls card for every card of some lanes.
func lanes(of []picture.BoardLane, card func(*task.Card)) {
	for _, l := range of {
		for i := range l.Cards {
			card(&l.Cards[i].Card)
		}
		for _, c := range l.Causes {
			for i := range c.Cards {
				card(&c.Cards[i].Card)
			}
		}
	}
}

// text returns what was seen as JSON, in which a missing list and an empty one are the same.
func (s seen) text(k *coretest.Kit) string {
	k.Helper()
	out, err := json.Marshal(s, json.Deterministic(true))
	k.Must(err)
	return string(out)
}
