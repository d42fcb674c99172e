package web

import (
	"cmp"
	"net/http"
	"slices"

	"tasker/internal/op"
	"tasker/internal/picture"
	"tasker/internal/task/query"
)

// boardBody is a project's tasks by state, or those below one of its epics.
type boardBody struct {
	picture.LanesOut
	Total   int
	Grouped bool // in rows, by epic
	Since   string
}

// Choices returns the epics to choose from, including the chosen one.
func (b boardBody) Choices() []query.Epic {
	if b.Epic == nil || slices.Contains(b.Epics, *b.Epic) {
		return b.Epics
	}
	return append([]query.Epic{*b.Epic}, b.Epics...)
}

// Chosen reports whether the board shows this epic.
func (b boardBody) Chosen(e query.Epic) bool { return b.Epic != nil && b.Epic.ID == e.ID }

func (s *site) board(r *http.Request, p *shown) error {
	p.Title = "Board"
	a, q := s.asker(r), r.URL.Query()
	in := picture.LanesIn{
		Slug: r.PathValue("slug"), Limit: a.number("limit"), At: a.at(), Epic: q.Get("epic"), Group: q.Get("group") == "epic",
	}
	out := ask(a, op.Lanes, in)
	a.history(p, out.At)
	body := boardBody{LanesOut: out, Grouped: in.Group, Since: q.Get("since")}
	for _, l := range out.Lanes {
		body.Total += l.Total
	}
	p.Body = body
	return a.err
}

// laneParam returns the query parameter that lists all tasks of a lane: "in progress" covers two states.
func laneParam(name string) string {
	switch name {
	case "in_progress", "cancelled", "done", "in_review":
		return "status"
	}
	return "state"
}

// laneEmpty says what an empty lane means.
func laneEmpty(name string) string {
	return cmp.Or(map[string]string{
		"ready": "Nothing can be taken now.", "waiting": "Nothing waits.", "in_progress": "Nobody is at work.", "in_review": "Nothing is to be judged.",
	}[name], "None yet.")
}
