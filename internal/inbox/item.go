package inbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/task/proven"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
)

// worded returns stubs as items, each with what a person needs in order to decide.
func (s scene) worded(reader task.Actor, stubs []stub) ([]Item, error) {
	items, err := s.items(reader, stubs)
	if err != nil {
		return nil, err
	}
	return items, s.about(items)
}

// items returns the stubs of the scene's project as items, with few queries.
func (s scene) items(reader task.Actor, stubs []stub) ([]Item, error) {
	if len(stubs) == 0 {
		return nil, nil
	}
	events := make([]int64, 0, len(stubs))
	for _, st := range stubs {
		if st.of.Event != task.ThisEvent {
			events = append(events, st.of.Event)
		}
	}
	gists, err := s.Tx.Gists(s.Project.Slug, tasksOf(stubs, nil))
	if err != nil {
		return nil, err
	}
	happened := map[int64]cause{}
	if err := s.Tx.EventsByID(events, func(ev task.Event) { happened[ev.ID] = causeOf(ev) }); err != nil {
		return nil, err
	}
	if err := s.look(reader, stubs); err != nil {
		return nil, err
	}
	floors, err := s.floors(reader, stubs)
	if err != nil {
		return nil, err
	}
	unfinished, err := s.unfinished(stubs, stub.toBeDone)
	if err != nil {
		return nil, err
	}
	tried, err := s.tried(stubs)
	if err != nil {
		return nil, err
	}
	taken, err := inboxdb.Taken(s.Tx, s.Project.Slug, tasksOf(stubs, nil))
	if err != nil {
		return nil, err
	}
	out := make([]Item, len(stubs))
	for i, st := range stubs {
		g, ev := gists[st.ref.Task], happened[st.of.Event]
		item := Item{
			ID: st.ref.ID(), Kind: st.kind, Project: s.Project.Slug, Task: st.ref.Task, Title: g.Title, Status: statusAt(g, s.View.Now()), For: st.who,
			Why: st.why(g, ev, unfinished[st.ref.Task]), Since: ev.at,
			Seen: st.seen || st.of.Stamp <= floors[st.of.Kind], Unblocks: g.Unblocks,
		}
		if by := taken[st.ref]; by.Holds(st.of, s.View.Now()) {
			item.TakenBy, item.TakenTo = task.Opt(by.By), by.Until
		}
		if st.of.Since != 0 {
			item.Since = st.of.Since
		}
		if st.toBeDone() {
			item.Left = unfinished[st.ref.Task].Obstacles
		}
		if st.judged() {
			item.Left.Approvals = nil // none is missing: each would be an item of its own
		}
		settling := waiting.Settling{
			Waiting: st.of, As: st.kind, ID: item.ID, Project: item.Project, Status: item.Status, Left: item.Left, Parts: unfinished[st.ref.Task].parts,
			Need: st.need, Lost: st.lost,
		}
		item.Settle = settling.Commands(reader, ev.by)
		if st.of.Kind == waiting.WaitFailing {
			item.Why += tried[st.ref.Task]
		}
		if st.of.Kind == waiting.WaitDivergence {
			item.Dispute = &ev.dispute
		}
		if st.of.Event != task.ThisEvent {
			item.Event = &stubs[i].of.Event
		}
		out[i] = item
	}
	return out, nil
}

// statusAt returns the status of a task at a moment: open if its lease has run out, even if it is not swept yet.
func statusAt(g task.Gist, now task.Time) task.Status {
	if g.Claim != nil && !g.Claim.Live(now) && g.Status == task.InProgress {
		return task.Open
	}
	return g.Status
}

// floors returns the stamps up to which everything of a kind is put away, for the kinds that are shown.
func (s scene) floors(reader task.Actor, stubs []stub) (map[waiting.WaitKind]int64, error) {
	out := map[waiting.WaitKind]int64{}
	for _, st := range stubs {
		kind := st.of.Kind
		if _, ok := out[kind]; ok || kind != waiting.WaitOverride && kind != waiting.WaitUnsupervised {
			continue
		}
		var err error
		if out[kind], err = inboxdb.SeenAll(s.Tx, reader.Name, s.Project.Slug, kind); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// payload has the members that are read from the payload of an item's event.
type payload struct {
	Actor  string   `json:"actor"`
	Text   string   `json:"text"`
	Passed []string `json:"passedOver"`
	Lease  int64    `json:"leaseMs"`

	System string `json:"system"`
	Ref    string `json:"ref"`
	Field  string `json:"field"`
	Ours   any    `json:"ours"`
	Theirs any    `json:"theirs"`
	To     any    `json:"to"`
}

// maxTold is how many characters of somebody's text a list shows: the record itself has the rest.
const maxTold = 300

// cause is the event of an item, without its payload, which may be large, but with what was read from it.
type cause struct {
	payload
	by   string
	at   task.Time
	made bool // it created the task

	to      string  // the value in the payload, as text
	dispute Dispute // likewise, if two systems disagree
}

func causeOf(ev task.Event) cause {
	c := cause{by: ev.Actor, at: ev.At, made: ev.Kind == task.TaskCreated}
	if len(ev.Payload) > 0 {
		_ = json.Unmarshal(ev.Payload, &c.payload) // an older event has fewer fields
	}
	c.to = shown(c.To)
	c.dispute = Dispute{Field: c.Field, Ours: value(c.Field, c.Ours), Theirs: value(c.Field, c.Theirs)}
	c.payload = c.payload.short()
	return c
}

// short returns it cut to what a list shows.
func (p payload) short() payload {
	p.Text, p.Ours, p.Theirs, p.To = words.Cut(p.Text, maxTold), nil, nil, nil
	if len(p.Passed) > 0 {
		p.Passed = []string{words.Cut(strings.Join(p.Passed, "; "), maxTold)}
	}
	return p
}

// value returns the value of a field as people write it, cut to what a list shows.
func value(field string, v any) string { return words.Cut(merge.Words(field, v), maxTold) }

// shown returns the value of a field as a short text.
func shown(v any) string {
	if v == nil {
		return "nothing"
	}
	return words.Quoted(words.Cut(fmt.Sprint(v), 60))
}

// handover is what there is to judge about a task in review.
type handover struct {
	task.Obstacles
	ticks string // by what they rest on
	parts int    // open ones
}

// unfinished returns what done still requires for the tasks of the wanted stubs, and what their ticks rest on. Of
// approvals it returns all that are required, given or not.
func (s scene) unfinished(stubs []stub, wanted func(stub) bool) (map[task.ID]handover, error) {
	tasks, err := s.View.TasksByID(tasksOf(stubs, wanted))
	if err != nil {
		return nil, err
	}
	var gated []task.ID // evidence is read only if a gate asks for it
	for _, t := range tasks {
		if asked, _ := s.Policy.GateFor(t.Gate); len(asked) > 0 {
			gated = append(gated, t.ID)
		}
	}
	evidence, err := s.Tx.EvidenceOf(gated)
	if err != nil {
		return nil, err
	}
	items := map[task.ID][]task.Evidence{}
	for _, e := range evidence {
		items[e.Task] = append(items[e.Task], e)
	}
	out := make(map[task.ID]handover, len(tasks))
	for _, t := range tasks {
		kinds := words.Each(items[t.ID], func(e task.Evidence) string { return e.Kind })
		left := obstacles(t, s.Policy, kinds, items[t.ID])
		if record := s.Policy.Record; record != nil {
			known := left.Missing()
			for _, m := range obstacles(t, *record, kinds, items[t.ID]).Missing() {
				if !slices.Contains(known, m) {
					left.Record = append(left.Record, task.ByRecord(m))
				}
			}
		}
		left.Approvals = s.Policy.RequiredOfAgents(t)
		out[t.ID] = handover{left, task.Resting(t.Criteria), t.Parts}
	}
	return out, nil
}

// obstacles returns what done requires under one policy but for approvals.
func obstacles(t *task.Task, pol task.Policy, kinds []string, items []task.Evidence) task.Obstacles {
	counted := proven.Counted(proven.Asked{Gate: pol.Gates[string(t.Gate)], Dir: pol.DirOf(t.Gate), Place: pol.Place}, kinds, items)
	out := t.Obstacles(pol, task.Standing{Evidence: counted.Kinds})
	out.Approvals = nil
	return out
}

// tried returns the last notes of the tasks that keep failing: an actor that gives a task back, or sends it back, says
// why in a note.
func (s scene) tried(stubs []stub) (map[task.ID]string, error) {
	ids := tasksOf(stubs, func(st stub) bool { return st.of.Kind == waiting.WaitFailing })
	notes, err := inboxdb.LastNotes(s.Tx, s.Project.Slug, ids)
	out := make(map[task.ID]string, len(notes))
	for id, n := range notes {
		out[id] = lastNote + n.Actor + ": " + words.Quoted(words.Cut(strings.Join(strings.Fields(n.Text), " "), maxTold))
	}
	return out, err
}

// The beginnings of the parts of Why that About has too.
const (
	ticksAre = "; ticks: "
	lastNote = "; the last note: "
)

// maxUnfinished is how many missing things an item names; the others are counted.
const maxUnfinished = 3

// handedOver says who handed a task over for review, or imported it in review, what is missing for done, how many of its
// parts are open, and what its ticks rest on.
func handedOver(ev cause, h handover) string {
	open := words.Count(h.parts, "of its parts is", "of its parts are") + " open"
	ticks := words.When(h.ticks != "", ticksAre+h.ticks)
	h.Approvals = nil // each of them is an item of its own
	missing := h.Missing()
	how := ev.by + " handed it over for review"
	if ev.made {
		how = ev.by + " recorded it as in review"
	}
	switch {
	case len(missing) == 0 && h.parts > 0:
		return how + ", and " + open + ticks
	case len(missing) == 0:
		return how + ", and nothing else is missing" + ticks
	}
	few := missing[:min(len(missing), maxUnfinished)]
	named := words.Each(few, func(m string) string { return words.Cut(m, maxTold/maxUnfinished) })
	if more := len(missing) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s unfinished; missing: %s", how, strings.Join(named, "; ")) + words.When(h.parts > 0, "; "+open) + ticks
}

// why returns a sentence that says what is wanted; h is what there is to judge about a task in review.
func (s stub) why(g task.Gist, ev cause, h handover) string {
	switch s.of.Kind {
	case waiting.WaitQuestion, waiting.WaitAsked:
		return fmt.Sprintf("%s asks: %s", ev.by, ev.Text)
	case waiting.WaitOverride:
		return fmt.Sprintf("%s forced it past %s", ev.by, strings.Join(ev.Passed, "; "))
	case waiting.WaitUnsupervised:
		how := "closed"
		if g.Status == task.Cancelled {
			how = "cancelled"
		}
		return fmt.Sprintf("%s by %s; supervised, please check", how, ev.by)
	case waiting.WaitLapse:
		holder := ev.Actor
		if s.of.Event == task.ThisEvent && g.Claim != nil {
			holder = g.Claim.Actor
		}
		return fmt.Sprintf("the lease of %s ran out, and nobody has claimed it since", holder)
	case waiting.WaitStall:
		if g.Claim == nil {
			return "nothing was written for half of its lease"
		}
		return fmt.Sprintf("%s holds it, and has written nothing for half of the lease", g.Claim.Actor)
	case waiting.WaitUnheld:
		return "it is in progress, and nobody holds it"
	case waiting.WaitFailing:
		if s.of.Event == task.ThisEvent {
			g.Failures++ // counts the lapse that the sweep has not written yet
		}
		return waiting.FailedTimes(g.Failures)
	case waiting.WaitDivergence:
		d := ev.dispute
		return fmt.Sprintf("%s and %s disagree about %s: %s here, %s there", s.of.Task, ev.Ref, d.Field, words.Cut(d.Ours, 60), words.Cut(d.Theirs, 60))
	case waiting.WaitUnclosed:
		return fmt.Sprintf("%s is closed, but the task is not: %s", ev.Ref, s.of.Why)
	case waiting.WaitNotice, waiting.WaitRunner:
		return s.of.Why
	case waiting.WaitSyncFailed:
		return fmt.Sprintf("%s refused %s as %s", ev.Ref, ev.to, ev.Field)
	case waiting.WaitJudgement:
	}
	if s.kind != waiting.ItemReview {
		if s.lost {
			return s.need.String() + " (no declared human can give it: change actors, or what is asked for, in .tasker.json)"
		}
		return s.need.String()
	}
	return handedOver(ev, h)
}
