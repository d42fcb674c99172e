package bundle

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// history adds the newest events and what they mean for the next worker: that others changed the task, who held it before
// and how far they got, and that it was sent back.
func (d *Draft) history(tx store.View, t *task.Task) error {
	window := recentEvents
	if t.ChangedSince() || hasPast(t) {
		window = RecentWindow
	}
	events, more, err := tx.History(t.ID, window, core.PageBytes)
	if err != nil {
		return err
	}
	d.RecentEvents = events[max(0, len(events)-recentEvents):]
	if t.ChangedSince() {
		d.Warnings = append(d.Warnings, ChangedSince(t.ID, t.Claim.Actor, events)...)
	}
	if !hasPast(t) {
		return nil
	}
	past := lookBack(t, events)
	if more && len(events) > 0 {
		if past, err = lookFurther(tx, t, events); err != nil {
			return err
		}
	}
	d.Warnings = append(d.Warnings, past.words(t)...)
	for _, n := range past.notes(t) {
		d.keep = append(d.keep, n.ID)
		if !slices.ContainsFunc(d.Notes, func(have task.Note) bool { return have.ID == n.ID }) { // older than the listed ones
			d.Notes = append(d.Notes, n)
		}
	}
	sort.SliceStable(d.Notes, func(i, j int) bool { return d.Notes[i].ID < d.Notes[j].ID })
	return nil
}

// hasPast reports whether there can be anything to hand over: an earlier claim, or notes.
func hasPast(t *task.Task) bool {
	claims := t.Fence
	if t.Claim != nil {
		claims--
	}
	return !t.Status.Closed() && (claims > 0 || t.Notes > 0)
}

// past is what the newest events of a task say about its earlier workers.
type past struct {
	hold *hold                // the claim before the current one, if it is among the events
	asks int64                // the newest move to review
	back *task.Event          // the newest move that sent it back from review
	why  *task.Note           // the note that gave the reason
	last map[string]task.Note // each actor's last note
}

// hold is one claim.
type hold struct {
	actor string
	event int64 // of the claim
	fence int64
	ended string // how it ended, as text
}

// lookedBack is how many events of a kind are read beyond the newest events of any kind.
const lookedBack = 20

// lookFurther looks back past the newest events of a task for what must never be lost: who held it last, how that ended,
// why it was sent back, and the notes that belong to these.
func lookFurther(tx store.View, t *task.Task, events []task.Event) (past, error) {
	first, all := events[0].ID, slices.Clone(events)
	add := func(kind task.Kind, by string, before int64, limit int) error {
		found, err := tx.Events(query.Events{Task: t.ID, Kind: string(kind), By: by, BeforeID: &before, Limit: limit, Bytes: core.PageBytes})
		all = append(all, found...)
		return err
	}
	inOrder := func() past {
		slices.SortFunc(all, func(a, b task.Event) int { return cmp.Compare(a.ID, b.ID) })
		all = slices.CompactFunc(all, func(a, b task.Event) bool { return a.ID == b.ID })
		return lookBack(t, all)
	}
	for _, kind := range []task.Kind{task.TaskClaimed, task.ClaimReleased, task.ClaimExpired, task.TaskMoved} {
		if err := add(kind, "", first, lookedBack); err != nil {
			return past{}, err
		}
	}
	p := inOrder()
	var said []string // actors whose last note is needed
	if p.hold != nil {
		said = append(said, p.hold.actor)
	}
	if t.Claim != nil {
		said = append(said, t.Claim.Actor)
	}
	if p.back != nil && p.why == nil {
		if err := add(task.NoteAdded, p.back.Actor, min(first, p.back.ID), 1); err != nil {
			return past{}, err
		}
	}
	for _, actor := range said {
		if _, known := p.last[actor]; !known {
			if err := add(task.NoteAdded, actor, first, 1); err != nil {
				return past{}, err
			}
		}
	}
	return inOrder(), nil
}

// payload holds the fields that are read from the payloads of events.
type payload struct {
	Fence  int64       `json:"fence"`
	Text   string      `json:"text"`
	Failed bool        `json:"failed"`
	From   task.Status `json:"from"`
	To     task.Status `json:"to"`
	Lapse  task.Time   `json:"expiresAt"` // when a lease ended, which the sweep records later
}

// lookBack reads the events of a task, oldest first.
func lookBack(t *task.Task, events []task.Event) past {
	p := past{last: map[string]task.Note{}}
	var now, before *hold // the current claim, and the one before it
	for i := range events {
		e := &events[i]
		var said payload
		if json.Unmarshal(e.Payload, &said) != nil {
			continue // a kind that does not matter here
		}
		switch e.Kind {
		case task.TaskClaimed:
			if t.Claim == nil || said.Fence != t.Claim.Fence {
				now, before = &hold{actor: e.Actor, event: e.ID, fence: said.Fence}, p.hold
				p.hold = now
			} else {
				now = nil
			}
		case task.NoteAdded:
			p.last[e.Actor] = task.Note{ID: e.ID, Task: t.ID, Actor: e.Actor, Text: said.Text, At: e.At}
		case task.ClaimExpired, task.ClaimReleased:
			if now != nil {
				now.ended = ending(e, now, said)
			}
			if now != nil && now.untouched(e, said) {
				p.hold = before
			}
			now = nil
		case task.TaskMoved:
			p.moved(e, said)
			if now != nil && said.To != task.InProgress {
				now.ended = fmt.Sprintf("%s moved it to %s at %s", e.Actor, strings.ReplaceAll(string(said.To), "_", " "), e.At)
				now = nil
			}
		default:
		}
	}
	if now != nil && now.ended == "" && t.Claim == nil { // lapsed, but not swept yet
		now.ended = "its lease lapsed"
	}
	return p
}

// untouched reports whether the holder gave the task back at once, before anything happened: that was no try, but a
// check of a setup, or a change of mind.
func (h *hold) untouched(e *task.Event, said payload) bool {
	return e.Kind == task.ClaimReleased && !said.Failed && e.Actor == h.actor && e.ID == h.event+1
}

// ending says how a claim ended that lapsed or was released.
func ending(e *task.Event, h *hold, said payload) string {
	switch {
	case e.Kind == task.ClaimExpired:
		return "its lease lapsed at " + cmp.Or(said.Lapse, e.At).String()
	case said.Failed:
		return fmt.Sprintf("%s gave it back as failed at %s", e.Actor, e.At)
	case e.Actor != h.actor:
		return fmt.Sprintf("%s took it away at %s", e.Actor, e.At)
	default:
		return "given back at " + e.At.String()
	}
}

// moved records what a move says about a review. The reason for sending a task back is the last note of the same actor
// since the task went to review.
func (p *past) moved(e *task.Event, said payload) {
	switch {
	case said.To.Closed():
		p.back, p.why = nil, nil
	case said.To == task.InReview:
		p.back, p.why, p.asks = nil, nil, e.ID
	case said.From == task.InReview:
		p.back, p.why = e, nil
		if n, ok := p.last[e.Actor]; ok && n.ID > p.asks {
			p.why = &n
		}
	}
}

// words returns the sentences for the next worker.
func (p *past) words(t *task.Task) []string {
	if t.Status != task.Open && t.Status != task.InProgress {
		return nil
	}
	var out []string
	if h := p.hold; h != nil && h.ended != "" {
		out = append(out, h.words(t, p.last[h.actor].ID != 0))
	}
	if p.back != nil {
		s := fmt.Sprintf("%s sent it back from review at %s", p.back.Actor, p.back.At)
		if p.why != nil {
			s += fmt.Sprintf(": note %d says why", p.why.ID)
		}
		out = append(out, s)
	}
	return out
}

// words says how the last try ended, and how far the task is.
func (h *hold) words(t *task.Task, noted bool) string {
	parts := []string{"Last try: " + words.When(!strings.HasPrefix(h.ended, h.actor+" "), h.actor+", ") + h.ended}
	if n := len(t.Criteria); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s", task.ProgressOf(t.Criteria).Checked, words.Count(n, "criterion", "criteria")))
	}
	if t.Attempts > 0 {
		parts = append(parts, words.Count(t.Attempts, "failed attempt", "failed attempts"))
	}
	if noted {
		parts = append(parts, "it left a note")
	}
	return strings.Join(parts, "; ")
}

// notes returns the notes that the next worker must see: why the task was sent back, the last note of its previous holder,
// and the last note of its current holder. The same note may come twice.
func (p *past) notes(t *task.Task) []task.Note {
	var out []task.Note
	if p.why != nil {
		out = append(out, *p.why)
	}
	if p.hold != nil {
		out = append(out, p.last[p.hold.actor])
	}
	if t.Claim != nil {
		out = append(out, p.last[t.Claim.Actor])
	}
	return slices.DeleteFunc(out, func(n task.Note) bool { return n.ID == 0 }) // an actor that wrote none
}

// Limits of what a bundle says about how its dependencies ended.
const (
	maxOutcomes  = 20  // dependencies whose notes and decisions are read
	maxDecisions = 3   // the newest decisions per dependency
	maxSaid      = 300 // characters of a note, a decision or its reason
)

// outcomes returns the dependencies of a task, with how each closed one ended: who closed it, the last note, and the
// decisions. A worker that builds on a dependency would otherwise look that up in the other task.
func outcomes(tx store.View, briefs []Brief, deps []*task.Task) ([]Dep, error) {
	out := make([]Dep, len(briefs))
	read := 0
	for i, b := range briefs {
		out[i] = Dep{ID: b.ID, Title: b.Title, Status: b.Status}
		d := deps[i]
		if !d.Status.Closed() {
			continue
		}
		lines := []string{ended(d)}
		if d.Notes+d.Decisions > 0 && read < maxOutcomes {
			read++
			said, err := saidOf(tx, d)
			if err != nil {
				return nil, err
			}
			lines = append(lines, said...)
		}
		out[i].Outcome = task.Opt(strings.Join(lines, "\n"))
	}
	return out, nil
}

// ended says how a task was closed.
func ended(t *task.Task) string {
	switch {
	case t.Recorded:
		return "recorded as " + string(t.Status)
	case t.ClosedBy == "":
		return string(t.Status)
	}
	return fmt.Sprintf("%s by %s", t.Status, t.ClosedBy)
}

// saidOf returns the newest note of a task and its newest decisions, one line each.
func saidOf(tx store.View, t *task.Task) (out []string, err error) {
	if t.Notes > 0 {
		notes, err := tx.Notes(t.ID, 1)
		if err != nil {
			return nil, err
		}
		for _, n := range notes {
			out = append(out, "noted: "+line(n.Text))
		}
	}
	if t.Decisions > 0 {
		decisions, err := tx.Decisions(t.ID, maxDecisions)
		if err != nil {
			return nil, err
		}
		for _, d := range slices.Backward(decisions) {
			out = append(out, "decided: "+line(d.Title)+words.When(d.Rationale != "", ", because "+line(string(d.Rationale))))
		}
	}
	return out, nil
}

// line returns text on one line, cut to size.
func line(text string) string { return words.Cut(strings.Join(strings.Fields(text), " "), maxSaid) }
