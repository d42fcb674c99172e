package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/inbox/waiting"
	"tasker/internal/op"
	"tasker/internal/picture"
	"tasker/internal/task"
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
}

// projectRow answers of a project what needs its reader, what runs, what is stuck, and when it will be done.
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

// forecastRows is for how many projects the page says when they will be done: a forecast simulates each of them. The
// others say where to find it.
const forecastRows = 8

// rows returns the projects as rows, those first that need somebody or are stuck.
func (s *site) rows(a *asker, body estateBody) (out []projectRow) {
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
	asked := 0
	for i := range out {
		switch row := &out[i]; {
		case row.Tasks.Left() == 0:
			row.Likely = "Nothing is open"
		case asked == forecastRows:
			row.Likely = "Forecast on its timeline"
		default:
			asked++
			row.Likely = likely(ask(a, op.Forecast, picture.ForecastIn{Slug: row.Slug}), s.Now())
		}
	}
	return out
}

// likely says when a project will be done.
func likely(f picture.ForecastOut, now time.Time) string {
	switch {
	case f.Open == 0:
		return "Nothing is open"
	case f.Done == nil:
		return fmt.Sprintf("Forecast after %d finished tasks (%d so far)", f.RestsOn.Needed, f.RestsOn.Closed)
	}
	return fmt.Sprintf("Likely %s, %s at the latest (9 in 10)", day(f.Done.Half.Go(), now), day(f.Done.Nine.Go(), now))
}

// first is the page at the root: every project or, where there is exactly one, its overview. A query about the estate always
// shows every project.
func (s *site) first(r *http.Request, p *shown) error {
	a := s.asker(r)
	projects, wants := ask(a, op.Projects, core.None{}), only(r.URL.Query(), "all", "actor", "limit")
	if len(projects) != 1 || len(wants) > 0 {
		return s.estate(a, p, projects, wants)
	}
	slug := projects[0].Slug
	p.Page, p.Project = "overview", ask(a, op.Project, core.ProjectIn{Slug: slug})
	if a.err != nil {
		return a.err
	}
	r.SetPathValue("slug", slug)
	return s.overview(r, p)
}

func (s *site) estate(a *asker, p *shown, projects []*task.Project, wants url.Values) error {
	p.Title = "Projects"
	body := estateBody{Projects: projects, All: wants.Get("all") == "true"}
	estate := askWith(a, op.Estate, wants)
	body.Estate, body.Waiting = estate, estate.Matching-estate.ReadyMatching
	needs, ready := fromEstate(estate.Items)
	now := task.Time(s.Now().UnixMicro())
	rank := func(n need) waiting.Rank {
		return waiting.RankOf(n.Kind, n.Status, n.Since, now, waiting.Freed{InAll: n.Unblocks})
	}
	slices.SortStableFunc(needs, func(a, b need) int { return rank(a).Compare(rank(b)) }) // like an inbox sorted by impact
	body.Needs, body.Shown, body.Ready = needsOf(needs), len(needs), ready
	for _, project := range body.Projects {
		if project.Archived {
			body.Archived++
		}
	}
	if a.err == nil {
		body.Rows = s.rows(a, body)
	}
	p.Body = body
	return a.err
}
