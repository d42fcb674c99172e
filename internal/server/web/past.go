package web

import (
	"net/url"
	"strconv"

	"tasker/internal/asof"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/picture"
	"tasker/internal/views/picture/chart"
)

// pastBar leads through the history of a project: moments to go to, and a slider over its events.
type pastBar struct {
	picture.MomentsOut
	Was   *asof.Was           // nil: now
	Since *picture.ChangedOut // the changes to mark; nil: none
	Keep  []kept              // the other parameters of the address
}

// kept is a parameter that stays as it is.
type kept struct{ Name, Value string }

// history adds the history bar to a page that can show a moment.
func (a *asker) history(p *shown, was *asof.Was) {
	if a.err != nil {
		return
	}
	bar := &pastBar{Was: was}
	in := picture.MomentsIn{Slug: p.Project.Slug}
	if was != nil {
		in.At = &was.Event
	}
	if bar.MomentsOut = ask(a, op.Moments, in); a.err != nil {
		a.pardon() // there is no history yet
		return
	}
	for _, name := range []string{"status", "state", "mark", "q", "heldBy", "parent", "under", "gate", "priority", "due", "sort", "group", "limit",
		"epic", "show", "focus", "from", "to", "up", "down", "fold", "open", "days"} {
		if v := a.value(name); v != "" {
			bar.Keep = append(bar.Keep, kept{name, v})
		}
	}
	p.Past = bar
	if since := a.number("since"); since != nil {
		bar.Keep = append(bar.Keep, kept{"since", a.value("since")})
		bar.Since = new(ask(a, op.Changed, picture.ChangedIn{Slug: in.Slug, Since: int64(*since), At: in.At}))
	}
}

// Changed says what happened to a task in the marked period; "" if nothing did.
func (b *pastBar) Changed(id task.ID) string {
	if b == nil || b.Since == nil {
		return ""
	}
	c, ok := b.Since.Tasks[id]
	switch {
	case !ok:
		return ""
	case c.New:
		return "new"
	case c.From != c.To:
		return chart.Word(string(c.From)) + " → " + chart.Word(string(c.To))
	}
	return "changed"
}

// from returns the beginning of the marked period; nil if nothing is marked.
func (b *pastBar) from() *task.Time {
	if b == nil || b.Since == nil {
		return nil
	}
	return &b.Since.From
}

// After reports whether an event is in the marked period.
func (b *pastBar) After(event int64) bool { return b != nil && b.Since != nil && event > b.Since.Since }

// freshTask is a task of a list with its change, and the title of what it is part of.
type freshTask struct {
	*task.Task
	Fresh string
	Epic  string
}

// freshCard is a card of a board with its task's change.
type freshCard struct {
	picture.LaneCard
	Fresh string
	Stuck string // why nothing goes on with it
}

// fresh returns a record of a list with its change.
func fresh(p *shown, record any) any {
	switch r := record.(type) {
	case *task.Task:
		row := freshTask{Task: r, Fresh: p.Past.Changed(r.ID)}
		if list, ok := p.Body.(tasksBody); ok {
			row.Epic = list.Parents[task.ID(r.Parent)]
		}
		return row
	case picture.LaneCard:
		card := freshCard{LaneCard: r, Fresh: p.Past.Changed(r.ID)}
		if board, ok := p.Body.(boardBody); ok {
			card.Stuck = troubleWord(board.Stuck[r.ID])
		}
		return card
	}
	return record
}

// momentous are the pages that can show the past, by their path below a project.
var momentous = map[string]bool{"": true, "/board": true, "/graph": true, "/tasks": true, "/timeline": true}

// Carried returns the query that keeps the moment and the marks on another page of the project.
func (p *shown) Carried(path string) string {
	q := url.Values(p.Query)
	if p.Past == nil || !momentous[path] {
		return ""
	}
	if kept := only(q, "at", "since").Encode(); kept != "" {
		return "?" + kept
	}
	return ""
}

// then returns the query parameter that keeps the same moment, to append after another one.
func then(was *asof.Was) string {
	if was == nil {
		return ""
	}
	return "&at=" + strconv.FormatInt(was.Event, 10)
}
