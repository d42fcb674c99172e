package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/views/picture"
)

// boardBody is a project's tasks by state, or those below one of its epics.
type boardBody struct {
	picture.LanesOut
	Total   int
	Grouped bool // in rows, by epic
	Stuck   map[task.ID]task.Trouble
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

func (s *site) board(a *asker, p *shown) any {
	in := picture.LanesIn{Slug: a.slug(), Limit: a.number("limit"), At: a.at(), Epic: a.value("epic"), Group: a.value("group") == "epic"}
	out := ask(a, op.Lanes, in)
	a.history(p, out.At)
	body := boardBody{LanesOut: out, Grouped: in.Group, Since: a.value("since")}
	for i, l := range body.Lanes {
		if body.Total += l.Total; l.Name == "done" {
			body.Lanes[i].Cards = l.Cards[:min(len(l.Cards), shownDone)]
		}
	}
	body.Stuck = a.troubles(out.Project, out.At)
	return body
}

// shownDone is how many done tasks a board shows: the list has all of them.
const shownDone = 10

// All returns the address that lists all tasks of a lane. Two lanes cover two states.
func (b boardBody) All(lane string) string {
	q := url.Values{}
	switch lane {
	case "waiting":
		q.Set("status", "open")
		q.Set("ready", "false")
	case "in_progress":
		q.Set("status", lane)
	default:
		q.Set("state", lane)
	}
	if b.Epic != nil {
		q.Set("under", string(b.Epic.ID))
	}
	if b.At != nil {
		q.Set("at", strconv.FormatInt(b.At.Event, 10))
	}
	return "/p/" + b.Project + "/tasks?" + q.Encode()
}

// laneEmpty says what an empty lane means.
func laneEmpty(name string) string {
	return cmp.Or(map[string]string{
		"ready": "Nothing can be taken now.", "waiting": "Nothing waits.", "in_progress": "Nobody is at work.", "in_review": "Nothing to review.",
	}[name], "None yet.")
}
