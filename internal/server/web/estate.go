package web

import (
	"net/http"
	"slices"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/inbox/waiting"
	"tasker/internal/op"
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
}

func (s *site) estate(r *http.Request, p *shown) error {
	p.Title = "Projects"
	a := s.asker(r)
	body := estateBody{Projects: ask(a, op.Projects, core.None{}), All: r.URL.Query().Get("all") == "true"}
	estate := askWith(a, op.Estate, only(r.URL.Query(), "all", "actor", "limit"))
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
	p.Body = body
	return a.err
}
