package web

import (
	"net/http"

	"tasker/internal/core"
	"tasker/internal/core/people"
	"tasker/internal/op"
	"tasker/internal/task"
)

// estateBody is every project, and what of them waits for somebody.
type estateBody struct {
	Projects []*task.Project
	Needs    []people.EstateItem // what waits for a person
	Waiting  int                 // how many there are, shown or not
	Ready    []people.EstateItem // and the work that is ready
	All      bool
	Estate   people.EstateOut // whose counts say how much of all that is shown
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
	body.Estate, body.Waiting = estate, estate.Matching-estate.ReadyMatching
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
