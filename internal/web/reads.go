package web

import (
	"net/http"
	"net/url"
	"strconv"

	"tasker/internal/core"
	"tasker/internal/core/people"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/search"
	"tasker/internal/task"
)

// number reads a whole number out of the address; nil where there is none.
func number(q url.Values, name string) (*int, error) {
	text := q.Get(name)
	if text == "" {
		return nil, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, fault.Bad("%s is %q", name, text).WithHint("give a whole number").WithMissing("query parameter " + name)
	}
	return &n, nil
}

func (s *site) projectIn(r *http.Request) (reading.ProjectIn, error) {
	limit, err := number(r.URL.Query(), "limit")
	return reading.ProjectIn{Slug: r.PathValue("slug"), Limit: limit}, err
}

// estateBody is every project, and what of them waits for somebody.
type estateBody struct {
	Projects []*task.Project
	Needs    []people.EstateItem // what waits for a person
	Ready    []people.EstateItem // and the work that is ready
	All      bool
}

func (s *site) estate(r *http.Request, p *shown) error {
	p.Title = "Projects"
	projects, err := op.Projects.Do(r.Context(), s.Ops, core.None{})
	if err != nil {
		return err
	}
	body := estateBody{Projects: projects, All: r.URL.Query().Get("all") == "true"}
	estate, err := answered(s, r, op.Estate, "all", "actor", "limit")
	if err != nil {
		return err
	}
	for _, item := range estate.Items {
		if item.Kind == people.KindReady {
			body.Ready = append(body.Ready, item)
		} else {
			body.Needs = append(body.Needs, item)
		}
	}
	p.Body = body
	return nil
}

// overviewBody is the situation of a project, and the head of what its other pages tell.
type overviewBody struct {
	people.ProjectOverviewOut
	Board  reading.BoardOut
	Events []task.Event
}

func (s *site) overview(r *http.Request, p *shown) error {
	p.Title = "Overview"
	slug := r.PathValue("slug")
	body := overviewBody{}
	var err error
	few, ten := 6, 10 // each part has a page of its own
	if body.ProjectOverviewOut, err = op.ProjectOverview.Do(r.Context(), s.Ops, reading.ProjectIn{Slug: slug, Limit: &few}); err != nil {
		return err
	}
	if body.Board, err = op.Board.Do(r.Context(), s.Ops, reading.ProjectIn{Slug: slug, Limit: &few}); err != nil {
		return err
	}
	if body.Events, err = op.Events.Do(r.Context(), s.Ops, reading.EventsIn{Project: slug, Limit: &ten}); err != nil {
		return err
	}
	p.Body = body
	return nil
}

func (s *site) board(r *http.Request, p *shown) error {
	p.Title = "Board"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	p.Body, err = op.Board.Do(r.Context(), s.Ops, in)
	return err
}

func (s *site) work(r *http.Request, p *shown) error {
	p.Title = "Work"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	p.Body, err = op.Work.Do(r.Context(), s.Ops, in)
	return err
}

func (s *site) machine(r *http.Request, p *shown) error {
	p.Title = "Machine"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	p.Body, err = op.Machine.Do(r.Context(), s.Ops, in)
	return err
}

func (s *site) proof(r *http.Request, p *shown) error {
	p.Title = "Proof"
	in := reading.ProofIn{Slug: r.PathValue("slug")}
	var err error
	if in.Days, err = number(r.URL.Query(), "days"); err != nil {
		return err
	}
	if in.Limit, err = number(r.URL.Query(), "limit"); err != nil {
		return err
	}
	p.Body, err = op.Proof.Do(r.Context(), s.Ops, in)
	return err
}

func (s *site) bottlenecks(r *http.Request, p *shown) error {
	p.Title = "Bottlenecks"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	p.Body, err = op.Bottlenecks.Do(r.Context(), s.Ops, in)
	return err
}

// eventsBody is a page of the log, newest first.
type eventsBody struct {
	Events []task.Event
	Kinds  []task.Kind
	Older  int64 // where the page before begins, 0 where there is none to name
	Newer  int64
	Kind   string
	By     string
	Task   string
}

func (s *site) events(r *http.Request, p *shown) error {
	p.Title = "Events"
	q := r.URL.Query()
	limit, err := number(q, "limit")
	if err != nil {
		return err
	}
	since, err := number(q, "since_id")
	if err != nil {
		return err
	}
	before, err := number(q, "before_id")
	if err != nil {
		return err
	}
	in := reading.EventsIn{Project: r.PathValue("slug"), Kind: q.Get("kind"), By: q.Get("by"), Task: q.Get("task"), Since: q.Get("since"), Limit: limit}
	if since != nil {
		in.SinceID = new(int64(*since))
	}
	if before != nil {
		in.BeforeID = new(int64(*before))
	}
	events, err := op.Events.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	body := eventsBody{Kinds: task.Kinds, Kind: in.Kind, By: in.By, Task: in.Task}
	for i := len(events) - 1; i >= 0; i-- {
		body.Events = append(body.Events, events[i])
	}
	if len(events) > 0 {
		if in.SinceID != nil || in.BeforeID != nil {
			body.Newer = events[len(events)-1].ID
		}
		one := in
		one.Since, one.SinceID, one.BeforeID, one.Limit = "", nil, &events[0].ID, new(1)
		rest, err := op.Events.Do(r.Context(), s.Ops, one)
		if err != nil {
			return err
		}
		if len(rest) > 0 {
			body.Older = events[0].ID
		}
	}
	p.Body = body
	return nil
}

// tasksBody is a page of a project's tasks by number.
type tasksBody struct {
	reading.ListOut
	Status   string
	Q        string
	Statuses []task.Status
}

func (s *site) tasks(r *http.Request, p *shown) error {
	p.Title = "Tasks"
	q := r.URL.Query()
	limit, err := number(q, "limit")
	if err != nil {
		return err
	}
	in := reading.ListIn{Project: r.PathValue("slug"), Status: q.Get("status"), HeldBy: q.Get("heldBy"), Q: q.Get("q"), Cursor: q.Get("cursor"), Limit: limit}
	out, err := op.List.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	p.Body = tasksBody{ListOut: out, Status: in.Status, Q: in.Q, Statuses: task.Statuses}
	return nil
}

func (s *site) inbox(r *http.Request, p *shown) (err error) {
	p.Title = "Inbox"
	p.Body, err = answered(s, r, op.Inbox, "actor", "all", "limit")
	return err
}

// syncBody is the health of a project's links and what the systems disagree about.
type syncBody struct {
	Links     []reading.SyncLink
	Conflicts reading.ConflictsOut
	Ownership reading.OwnershipOut
}

func (s *site) sync(r *http.Request, p *shown) error {
	p.Title = "Sync"
	in := core.ProjectIn{Slug: r.PathValue("slug")}
	links, err := op.Sync.Do(r.Context(), s.Ops, in)
	if err != nil {
		return err
	}
	body := syncBody{Links: links.Links}
	if body.Conflicts, err = op.Conflicts.Do(r.Context(), s.Ops, in); err != nil {
		return err
	}
	if body.Ownership, err = op.Ownership.Do(r.Context(), s.Ops, in); err != nil {
		return err
	}
	p.Body = body
	return nil
}

// searchBody is what was looked for and found.
type searchBody struct {
	Q        string
	In       string // project
	Kind     string
	Found    *reading.SearchOut // nil: nothing was looked for
	Counts   []kindCount        // of the kinds that were found
	Projects []*task.Project
}

type kindCount struct {
	Kind search.Kind
	N    int
}

func (s *site) search(r *http.Request, p *shown) error {
	p.Title = "Search"
	q := r.URL.Query()
	body := searchBody{Q: q.Get("q"), In: q.Get("project"), Kind: q.Get("kind")}
	var err error
	if body.Projects, err = op.Projects.Do(r.Context(), s.Ops, core.None{}); err != nil {
		return err
	}
	if body.Q != "" {
		// An id leads straight to its task; the page offers it, and never sends the reader elsewhere by itself.
		found, err := answered(s, r, op.Search, "q", "project", "kind", "limit")
		if err != nil {
			return err
		}
		body.Found = &found
		for _, k := range search.Kinds {
			if n := *found.Counts.Of(k); n > 0 {
				body.Counts = append(body.Counts, kindCount{k, n})
			}
		}
	}
	p.Body = body
	return nil
}

func (s *site) help(_ *http.Request, p *shown) error {
	p.Title = "Help"
	return nil
}

func (s *site) lost(r *http.Request, _ *shown) error {
	return fault.Missing("there is no page %s", r.URL.Path).WithHint("the projects are at /")
}
