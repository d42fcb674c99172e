package services_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/landing"
	"tasker/internal/store"
	"tasker/internal/store/inboxdb"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/views/reading"
)

// check compares every read with the naive one, on the same snapshot, and the pages too if asked.
func (h *saga) check(pages bool) {
	_, err := core.Read(context.Background(), h.s.Env, func(tx *store.Tx) (int, error) {
		own := *h.s.Env
		defer func() { *h.s.Env = own }()
		*h.s.Env = *h.s.On(tx)
		f := h.facts(tx)
		all := h.items(f)
		for _, name := range []string{"ann", "bob", "bot", "bee"} {
			h.checkInbox(f, all, name)
			h.checkEstate(f, all, name)
		}
		h.checkSituation(f)
		h.checkBrief(f)
		h.checkBoard(f, "ann")
		h.checkBoard(f, "bee")
		h.checkMachine(f)
		h.checkProof(f)
		h.checkTimeline(f)
		h.checkEvents(f)
		h.checkNumbers(f)
		h.checkStandings(f)
		if pages {
			h.checkPages(f)
			h.checkSaid(f)
		}
		return 0, nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// worded removes the sentences, which the naive reading does not compose, and what is left of a review, if they agree.
func worded(items []inbox.Item) []inbox.Item {
	out := slices.Clone(items)
	for i := range out {
		it := &out[i]
		it.About, it.Dispute = nil, nil
		if len(it.Settle) > 0 { // otherwise it differs from the naive one
			it.Settle = nil
		} else {
			it.Settle = []string{"MISSING"}
		}
		switch says := strings.Contains(it.Why, "unfinished; missing: "); {
		case it.Why == "":
			it.Why = "MISSING"
		case says == (len(it.Left.Missing()) > 0):
			it.Why, it.Left = "", task.Obstacles{}
		}
	}
	return out
}

// putAway reports whether a reader has put an item away, or approved the review that it asks for.
func (h *saga) putAway(f facts, reader string, it inbox.Item) bool {
	if it.Kind == waiting.ItemOverride || it.Kind == waiting.ItemLapse { // they only tell
		mark, err := inboxdb.Mark(f.tx, reader)
		if err != nil {
			h.t.Fatal(err)
		}
		if eventOf(it) <= mark {
			return true
		}
	}
	return h.away[reader+" "+it.ID] == occurrence(it) || it.ID == "review:"+string(it.Task) && f.approvedSince(it.Task, eventOf(it), reader)
}

func (h *saga) checkInbox(f facts, all []inbox.Item, name string) {
	ctx := as(name)
	var want, everyones []inbox.Item
	for _, it := range all {
		it.Seen = h.putAway(f, name, it)
		everyones = append(everyones, it)
		if mine(it, cast[name]) && !it.Seen {
			want = append(want, it)
		}
	}
	for _, c := range []struct {
		all  bool
		want []inbox.Item
	}{{false, want}, {true, everyones}} {
		got, err := h.s.Inbox.Inbox(ctx, inbox.InboxIn{Slug: h.slug, All: c.all, Limit: new(1000)})
		if err != nil {
			h.t.Fatal(err)
		}
		if diff := gocmp.Diff(c.want, worded(got.Items)); diff != "" || got.Total != len(c.want) || got.TotalMore {
			h.t.Fatalf("the inbox of %s (all: %v), total %d of %d (-want +got):\n%s", name, c.all, got.Total, len(c.want), diff)
		}
		named, err := h.s.Inbox.Inbox(as("bob"), inbox.InboxIn{Slug: h.slug, Actor: name, All: c.all, Limit: new(1000)})
		if diff := gocmp.Diff(got, named); diff != "" || err != nil {
			h.t.Fatalf("the inbox of %s, asked for by bob, differs (%v):\n%s", name, err, diff)
		}
	}
}

func (h *saga) checkEstate(f facts, all []inbox.Item, name string) {
	limit := rapid.SampledFrom([]int{1, 3, 1000}).Draw(h.t, "limit")
	got, err := h.s.Inbox.Estate(as(name), inbox.EstateIn{Limit: &limit})
	if err != nil {
		h.t.Fatal(err)
	}
	type line struct {
		id    string
		event int64
	}
	var want []line
	for _, it := range all {
		if mine(it, cast[name]) && !h.putAway(f, name, it) {
			want = append(want, line{it.ID, eventOf(it)})
		}
	}
	ready := slices.Clone(f.tasks)
	slices.SortFunc(ready, func(a, b *task.Task) int { return task.Order{}.Compare(task.Policy{}, cast[name], a, b) })
	total := len(all)
	for _, t := range ready {
		if t.Ready() {
			total++
			if houseRules.MayHold(cast[name], t.Autonomy, t.MayExecute) == nil {
				event := t.LastEvent
				if t.Lapse == task.ThisEvent {
					event = task.Unwritten
				}
				want = append(want, line{"ready:" + string(t.ID), event})
			}
		}
	}
	mark, err := inboxdb.Mark(f.tx, name)
	if err != nil {
		h.t.Fatal(err)
	}
	shown, cut := want[:min(limit, len(want))], want[min(limit, len(want)):]
	watermark, newest := mark, int64(0)
	for _, l := range shown {
		if l.event != task.Unwritten {
			newest = max(newest, l.event)
		}
	}
	if newest > 0 {
		watermark = newest
		for _, l := range cut {
			watermark = min(watermark, l.event-1)
		}
	}
	var is []line
	for _, it := range got.Items {
		l := line{it.ID, task.Unwritten}
		if it.Event != nil {
			l.event = *it.Event
		}
		if it.New != (l.event > mark) || it.Project != h.slug {
			h.t.Fatalf("%s is %+v, and the mark is %d", it.ID, it, mark)
		}
		is = append(is, l)
	}
	if fmt.Sprint(is) != fmt.Sprint(shown) || got.Matching != len(want) || got.Total != total || got.Seen != mark || got.Watermark != watermark {
		h.t.Fatalf("the estate of %s, limit %d: %v\n%d of %d, seen %d, watermark %d; want %v\n%d of %d, seen %d, watermark %d",
			name, limit, is, got.Matching, got.Total, got.Seen, got.Watermark, shown, len(want), total, mark, watermark)
	}
}

// stuck returns the tasks that are stuck for a reader, by the inbox items of anybody, and whether their lease ran out.
func (h *saga) stuck(f facts, reader string) map[task.ID]bool {
	e, err := h.s.Inbox.Estate(as(reader), inbox.EstateIn{})
	if err != nil {
		h.t.Fatal(err)
	}
	out := map[task.ID]bool{}
	for _, it := range h.items(f) {
		switch it.Kind {
		case waiting.ItemQuestion:
			if it.Status.Closed() {
				continue
			}
		case waiting.ItemStalled, waiting.ItemFailing, waiting.ItemUnheld:
		case waiting.ItemLapse:
			if it.Event != nil && (*it.Event <= e.Seen || h.away[reader+" "+it.ID] == occurrence(it)) {
				continue
			}
		default:
			continue
		}
		out[it.Task] = out[it.Task] || it.Kind == waiting.ItemLapse
	}
	return out
}

func (h *saga) checkSituation(f facts) {
	out, err := h.s.Inbox.Overview(as("ann"), core.None{})
	if err != nil || len(out.Projects) != 1 {
		h.t.Fatal(out, err)
	}
	got := out.Projects[0].Situation
	want := inbox.Situation{LastEvent: &reading.LastEvent{}, Sentence: got.Sentence}
	closed, stuck := 0, len(h.stuck(f, "ann"))
	stalled := 0
	for _, it := range h.items(f) {
		stalled += map[bool]int{true: 1}[it.Kind == waiting.ItemStalled]
	}
	want.Stuck, want.Stalled, want.Unlanded = &stuck, &stalled, &landing.Unlanded{}
	for _, t := range f.tasks {
		if t.Questions > 0 && !t.Status.Closed() {
			want.NeedsAnswer++
		}
		*want.ByStatus.Of(t.Status)++
		if due, ok := t.DueAt(); ok && due < f.tx.Now() && !t.Status.Closed() {
			want.Overdue++
		}
		if t.Status.Closed() {
			closed++
			if t.ClosedAt >= f.tx.Now().Add(-7*24*60*60*1000) {
				want.ClosedLast7Days++
			}
		}
		waits, open := t.OpenDeps+t.Parts > 0, t.Status == task.Open
		switch {
		case t.Claim != nil:
			want.Held++
		case t.Status == task.InProgress:
			want.Unheld++
		case open && waits:
			want.Blocked++
		case open && t.Questions > 0:
			want.Asked++
		case open:
			want.Ready++
		}
		heldBack := t.Claim == nil && t.Questions > 0 && (open || t.Status == task.InProgress)
		if t.Status == task.InReview || heldBack || open && !waits && t.Autonomy == "human_only" {
			want.WaitingForHuman++
		}
		if t.Claim == nil && t.Questions == 0 && open && !waits && t.Autonomy == "human_only" {
			want.ReadyForPeople++
		}
	}
	want.Progress = 100 * closed / len(f.tasks)
	last := f.events[len(f.events)-1]
	*want.LastEvent = reading.LastEvent{ID: last.ID, At: last.At, Kind: last.Kind}
	if diff := gocmp.Diff(want, got); diff != "" || got.Sentence == "" {
		h.t.Fatalf("the situation (-want +got):\n%s", diff)
	}
}

func (h *saga) checkBrief(f facts) {
	mark, err := inboxdb.Mark(f.tx, "ann")
	if err != nil {
		h.t.Fatal(err)
	}
	want := map[string][]string{}
	for _, ev := range f.events {
		p := h.payload(ev)
		from, _ := p.From.(string)
		to, _ := p.To.(string)
		word, by := "", ev.Actor
		switch {
		case ev.ID <= mark:
		case ev.Kind == task.OverrideForced:
			word = "forced"
		case ev.Kind == task.ClaimExpired:
			word, by = "lapsed", p.Actor
		case ev.Kind == task.QuestionAsked:
			word = "asked"
		case ev.Kind != task.TaskMoved:
		case task.Status(to).Closed() && !task.Status(from).Closed():
			word = "closed"
		case task.Status(from).Closed() && !task.Status(to).Closed():
			word = "reopened"
		case task.Status(from) == task.InReview && !task.Status(to).Closed():
			word = "sent back"
		}
		if word != "" {
			want[by] = append(want[by], fmt.Sprint(ev.ID, " ", word))
		}
	}
	out, err := h.s.Inbox.ProjectOverview(as("ann"), inbox.ProjectOverviewIn{Slug: h.slug})
	if err != nil {
		h.t.Fatal(err)
	}
	got := map[string][]string{}
	for _, a := range out.Briefing.Actors {
		for word, deeds := range map[string][]inbox.Deed{
			"closed": a.Closed, "forced": a.Forced, "reopened": a.Reopened, "lapsed": a.Lapsed, "sent back": a.SentBack, "asked": a.Asked,
		} {
			for _, d := range deeds {
				got[a.Actor] = append(got[a.Actor], fmt.Sprint(d.Event, " ", word))
			}
		}
	}
	for _, list := range []map[string][]string{want, got} {
		for _, words := range list {
			slices.Sort(words)
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		h.t.Fatalf("the briefing since %d (-want +got):\n%s", mark, diff)
	}
}
