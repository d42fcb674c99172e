package web

import (
	"cmp"
	"net/url"
	"slices"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
)

// estateBody is every project, and what in them waits for somebody.
type estateBody struct {
	Projects []*task.Project
	Archived int                // how many of them are archived
	Needs    []needSection      // items that wait for a person
	Shown    int                // how many items are shown
	Waiting  int                // how many there are, shown or not
	Ready    []inbox.EstateItem // tasks that are ready
	All      bool
	Estate   inbox.EstateOut // its counts say how much of it is shown
	Rows     []projectRow    // how each project is doing, without archived ones
	Undated  []projectRow    // the projects after them, without a likely date
}

// projectRow says for a project what needs its reader, what runs, what is stuck, and when it will be done.
type projectRow struct {
	*task.Project
	Now    inbox.Situation
	For    int
	Likely string
}

// stuck returns how many tasks are stuck.
func (r projectRow) stuck() int {
	if r.Now.Stuck == nil {
		return 0
	}
	return *r.Now.Stuck
}

// Limits of the page of all projects.
const (
	datedRows = 24 // how many projects get a likely date: a forecast simulates each of them
	// weighedProjects is for how many projects it says what the tasks in need hold up: that many counts are kept.
	weighedProjects = 16
)

// rows returns the projects as rows, the ones that need somebody or are stuck first: the first rows with their likely
// dates, and the rest.
func (s *site) rows(a *asker, body estateBody) (dated, undated []projectRow) {
	var out []projectRow
	now := map[string]inbox.Situation{}
	for _, one := range ask(a, op.Overview, core.None{}).Projects {
		now[one.Project] = one.Situation
	}
	for _, p := range body.Projects {
		if !p.Archived {
			out = append(out, projectRow{Project: p, Now: now[p.Slug], For: body.Estate.For[p.Slug]})
		}
	}
	slices.SortStableFunc(out, func(a, b projectRow) int { return cmp.Or(cmp.Compare(b.For, a.For), cmp.Compare(b.stuck(), a.stuck())) })
	dated, undated = out[:min(len(out), datedRows)], out[min(len(out), datedRows):]
	for i := range dated {
		row := &dated[i]
		if row.Likely = "Nothing is open"; row.Tasks.Left() > 0 {
			row.Likely = likely(ask(a, op.Forecast, picture.ForecastIn{Slug: row.Slug}))
		}
	}
	return dated, undated
}

// weigh adds to needs how many others their tasks hold up, as the inbox of a project has it.
func (s *site) weigh(a *asker, projects []*task.Project, needs []need) {
	behind := map[string]map[task.ID]int{}
	for _, p := range projects {
		var waits []task.ID
		for _, n := range needs {
			if n.Project == p.Slug {
				waits = append(waits, n.Task)
			}
		}
		if len(waits) > 0 && len(behind) < weighedProjects && p.Tasks.Left() <= weighedOpen {
			behind[p.Slug] = ask(a, op.Behind, reading.BehindIn{Slug: p.Slug, Tasks: waits})
		}
	}
	for i := range needs {
		if of, ok := behind[needs[i].Project]; ok {
			needs[i].HoldsUp = new(of[needs[i].Task])
		}
	}
}

// likely says when a project will be done.
func likely(f picture.ForecastOut) string {
	switch {
	case f.Open == 0:
		return "Nothing is open"
	case f.Done == nil:
		return f.TooEarly()
	}
	return "Likely " + f.Days()
}

// first is the page at the root: every project or, where there is exactly one, its overview. A query about the estate always
// shows every project.
func (s *site) first(a *asker, p *shown) any {
	projects, wants := ask(a, op.Projects, core.None{}), only(a.r.URL.Query(), "all", "actor", "limit")
	if len(projects) != 1 || len(wants) > 0 {
		return s.estate(a, projects, wants)
	}
	p.Page, p.Title, p.Project = "overview", "", ask(a, op.Project, core.ProjectIn{Slug: projects[0].Slug})
	if a.err != nil {
		return nil
	}
	return s.overview(a, p)
}

func (s *site) estate(a *asker, projects []*task.Project, wants url.Values) any {
	body := estateBody{Projects: projects, All: wants.Get("all") == "true"}
	estate := askWith(a, op.Estate, wants)
	body.Estate, body.Waiting = estate, estate.Matching-estate.ReadyMatching
	needs, ready := fromEstate(estate.Items)
	now := task.Time(s.Now().UnixMicro())
	s.weigh(a, projects, needs)
	rank := func(n need) waiting.Rank {
		freed := waiting.Freed{InAll: n.Unblocks}
		if n.HoldsUp != nil {
			freed.InAll = *n.HoldsUp
		}
		return waiting.RankOf(n.Kind, n.Status, n.Since, now, freed)
	}
	slices.SortStableFunc(needs, func(a, b need) int { return rank(a).Compare(rank(b)) }) // like an inbox sorted by impact
	body.Needs, body.Shown, body.Ready = needsOf(needs), len(needs), ready
	for _, project := range body.Projects {
		if project.Archived {
			body.Archived++
		}
	}
	if a.err == nil {
		body.Rows, body.Undated = s.rows(a, body)
	}
	return body
}
