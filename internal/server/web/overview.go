package web

import (
	"fmt"
	"strings"

	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
)

// overviewBody is the situation of a project, and the beginning of its other pages.
type overviewBody struct {
	inbox.ProjectOverviewOut
	Needs   []needSection
	Left    int // items of the inbox that are not shown
	Workers []worker
	More    int  // workers that are not shown
	Fine    bool // none of them is in trouble
	Ready   []*task.Task
	Events  []task.Event
	When    picture.ForecastOut
	Others  []inbox.Deeds    // what others did since the reader looked
	Before  *inbox.Situation // at the beginning of the marked period; nil if nothing is marked, or it is not known
}

// Delta says by how much a number differs from the beginning of the marked period.
func (b overviewBody) Delta(of string) string {
	if b.Before == nil {
		return ""
	}
	number := func(s *inbox.Situation) int {
		return map[string]int{
			"ready": s.Ready, "waiting": s.Blocked, "need an answer": s.NeedsAnswer, "held": s.Held, "unheld": s.Unheld, "in review": s.ByStatus.InReview,
			"done": s.ByStatus.Done, "cancelled": s.ByStatus.Cancelled,
		}[of]
	}
	if d := number(&b.Situation) - number(b.Before); d != 0 {
		return strings.Replace(fmt.Sprintf("%+d", d), "-", "−", 1)
	}
	return ""
}

// ranked is the most inbox items for which the overview shows those first that unblock the most work. Ranking reads all of
// them, and this page has to stay fast: with more, it shows the oldest and links to the inbox, which ranks them.
const ranked = 200

func (s *site) overview(a *asker, p *shown) any {
	slug := p.Project.Slug
	few := 5 // each part has a page of its own
	body := overviewBody{ProjectOverviewOut: ask(a, op.Front, inbox.ProjectOverviewIn{Slug: slug, Limit: &few, At: a.at()})}
	a.history(p, body.At)
	if a.err == nil && p.Past != nil && p.Past.Since != nil {
		was := ask(a, op.Front, inbox.ProjectOverviewIn{Slug: slug, Limit: &few, At: &p.Past.Since.Since})
		if a.err == nil {
			body.Before = &was.Situation
		}
		a.pardon()
	}
	if body.At != nil || a.err != nil {
		return body // only the tiles
	}
	if n := body.Inbox.Total; n > 0 && n <= ranked {
		first := ask(a, op.Inbox, inbox.InboxIn{Slug: slug, Sort: waiting.SortImpact, Limit: new(ranked)})
		body.Inbox.Items = head(first.Items, few)
	}
	for _, d := range body.Briefing.Actors {
		if d.Actor != p.Who {
			body.Others = append(body.Others, d)
		}
	}
	body.Needs = needsOf(fromInbox(body.Inbox.Items))
	body.Left = body.Inbox.Total - len(body.Inbox.Items)
	body.working(s.workers(a, p, reading.ProjectIn{Slug: slug, Limit: new(4 * shownWorkers)}))
	body.Ready = ask(a, op.Ready, reading.ReadyIn{Slug: slug, Limit: &few}).Tasks
	body.Events = ask(a, op.Events, reading.EventsIn{Project: slug, Limit: &few})
	body.When = ask(a, op.Forecast, picture.ForecastIn{Slug: slug})
	return body
}

// shownWorkers is how many workers the overview shows.
const shownWorkers = 24

// working keeps the workers that the overview shows: they hold something, or their lease ran out unseen.
func (b *overviewBody) working(all []worker, machine reading.MachineOut) {
	busy, lapsed := 0, 0
	for _, w := range all {
		if w.State == reading.WorkerIdle {
			continue
		}
		if len(w.Holding) > 0 {
			busy++
		} else {
			lapsed++
		}
		if len(b.Workers) < shownWorkers {
			b.Workers = append(b.Workers, w)
		}
	}
	b.More = max(busy, machine.Workers) + lapsed - len(b.Workers)
	b.Fine = len(b.Workers) == 0 || !b.Workers[len(b.Workers)-1].Trouble()
}
