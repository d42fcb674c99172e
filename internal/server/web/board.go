package web

import (
	"net/http"
	"slices"

	"tasker/internal/op"
	"tasker/internal/picture"
	"tasker/internal/task/query"
)

// boardBody is a project by state, or what is below one of its epics.
type boardBody struct {
	picture.LanesOut
	Total   int
	Grouped bool // in rows, by epic
	Since   string
}

// Choices returns the epics that can be chosen, the chosen one among them.
func (b boardBody) Choices() []query.Epic {
	if b.Epic == nil || slices.Contains(b.Epics, *b.Epic) {
		return b.Epics
	}
	return append([]query.Epic{*b.Epic}, b.Epics...)
}

// Chosen reports whether an epic is the one that is shown.
func (b boardBody) Chosen(e query.Epic) bool { return b.Epic != nil && b.Epic.ID == e.ID }

func (s *site) board(r *http.Request, p *shown) error {
	p.Title = "Board"
	in, err := s.projectIn(r)
	if err != nil {
		return err
	}
	then, err := at(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	ask := picture.LanesIn{Slug: in.Slug, Limit: in.Limit, At: then, Epic: q.Get("epic"), Group: q.Get("group") == "epic"}
	out, err := op.Lanes.Do(r.Context(), s.Ops, ask)
	if err != nil {
		return err
	}
	if err := s.history(r, p, out.At); err != nil {
		return err
	}
	body := boardBody{LanesOut: out, Grouped: ask.Group, Since: q.Get("since")}
	for _, l := range out.Lanes {
		body.Total += l.Total
	}
	p.Body = body
	return nil
}

// laneParam returns by which parameter the list of tasks is asked for all of a lane: what is in progress is in two states.
func laneParam(name string) string {
	switch name {
	case "in_progress", "cancelled", "done", "in_review":
		return "status"
	}
	return "state"
}

// laneEmpty says what it means that a lane has no task.
func laneEmpty(name string) string {
	switch name {
	case "ready":
		return "Nothing can be taken now."
	case "waiting":
		return "Nothing waits."
	case "in_progress":
		return "Nobody is at work."
	case "in_review":
		return "Nothing is to be judged."
	}
	return "None yet."
}
