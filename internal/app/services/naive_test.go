package services_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/inbox"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/task/waiting"
)

// facts is everything in a project in one snapshot, read without any of the views.
type facts struct {
	tx        *store.Tx
	tasks     []*task.Task
	events    []task.Event
	questions map[task.ID][]task.Question
	approvals map[task.ID][]task.Approval
	deps      map[task.ID][]task.ID
}

func (h *saga) facts(tx *store.Tx) facts {
	f := facts{tx: tx, questions: map[task.ID][]task.Question{}, approvals: map[task.ID][]task.Approval{}, deps: map[task.ID][]task.ID{}}
	none := int64(0)
	var err error
	if f.events, err = tx.Events(query.Events{Project: h.slug, SinceID: &none}); err != nil {
		h.t.Fatal(err)
	}
	if f.tasks, _, _, err = tx.List(query.List{Project: h.slug}); err != nil {
		h.t.Fatal(err)
	}
	if err := tx.Fill(f.tasks...); err != nil {
		h.t.Fatal(err)
	}
	for _, t := range f.tasks {
		if f.questions[t.ID], _, err = tx.Questions(t.ID, 1000); err != nil {
			h.t.Fatal(err)
		}
		if f.approvals[t.ID], err = tx.Approvals(t.ID); err != nil {
			h.t.Fatal(err)
		}
		for _, d := range t.Deps {
			f.deps[d] = append(f.deps[d], t.ID)
		}
	}
	return f
}

// now returns the time of the snapshot.
func (f facts) now() time.Time { return time.UnixMicro(int64(f.tx.Now())) }

func (f facts) of(id task.ID) (out []task.Event) {
	for _, ev := range f.events {
		if task.ID(ev.Task) == id {
			out = append(out, ev)
		}
	}
	return out
}

// unblocks counts the open tasks that wait for id.
func (f facts) unblocks(id task.ID) (n int) {
	for _, t := range f.tasks {
		if slices.Contains(f.deps[id], t.ID) && !t.Status.Closed() {
			n++
		}
	}
	return n
}

// approvedSince reports whether a reader, or anybody, has given an approval after an event that still counts.
func (f facts) approvedSince(id task.ID, event int64, reader string) bool {
	return slices.ContainsFunc(f.approvals[id], func(a task.Approval) bool {
		return a.ID > event && !a.Stale && (reader == "" || a.Actor == reader)
	})
}

// payload is the part of an event that the naive reading uses.
type payload struct {
	From   any    `json:"from"`
	To     any    `json:"to"`
	Status any    `json:"status"`
	Actor  string `json:"actor"`
	Failed bool   `json:"failed"`
}

func (h *saga) payload(ev task.Event) (p payload) {
	if err := json.Unmarshal(ev.Payload, &p); err != nil {
		h.t.Fatal(err)
	}
	return p
}

// items derives everyone's inbox from the log.
func (h *saga) items(f facts) []inbox.Item {
	var out []inbox.Item
	for _, t := range f.tasks {
		out = append(out, h.itemsOf(f, t)...)
	}
	slices.SortFunc(out, func(a, b inbox.Item) int {
		return cmp.Or(cmp.Compare(eventOf(a), eventOf(b)), task.CompareIDs(a.Task, b.Task), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func eventOf(it inbox.Item) int64 {
	if it.Event == nil {
		return task.Unwritten
	}
	return *it.Event
}

func (h *saga) itemsOf(f facts, t *task.Task) (out []inbox.Item) {
	add := func(kind waiting.ItemKind, tail, who string, ev *task.Event) *inbox.Item {
		it := inbox.Item{
			ID: string(kind) + ":" + string(t.ID) + tail, Kind: kind, Project: h.slug, Task: t.ID, Title: t.Title, Status: t.Status, For: who,
			Unblocks: f.unblocks(t.ID),
		}
		if ev != nil {
			it.Event, it.Since = &ev.ID, ev.At
		}
		out = append(out, it)
		return &out[len(out)-1]
	}
	var waits, lapsed, left, last, held, unheld, failing *task.Event
	failures := 0
	failed := func(ev *task.Event) {
		if ev.ID > h.acknowledged[t.ID] {
			failures, failing = failures+1, ev
		}
	}
	for _, ev := range f.of(t.ID) {
		p := h.payload(ev)
		last = &ev
		status := func(v any) task.Status { s, _ := v.(string); return task.Status(s) }
		switch ev.Kind {
		case task.TaskCreated:
			if status(p.Status) == task.InReview {
				waits = &ev
			}
			if status(p.Status) == task.InProgress {
				unheld = &ev
			}
		case task.ApprovalRequested:
			if waits == nil && !status(p.From).Closed() {
				waits = &ev
			}
		case task.TaskClaimed:
			lapsed, unheld = nil, nil
		case task.ClaimExpired:
			lapsed = &ev
			failed(&ev)
		case task.ClaimReleased:
			if p.Failed {
				failed(&ev)
			}
		case task.ApprovalGiven: // somebody has looked at it
			left = nil
		case task.OverrideForced:
			add(waiting.ItemOverride, fmt.Sprint(":", ev.ID), "human", &ev)
		case task.QuestionAsked:
			for _, q := range f.questions[t.ID] {
				switch {
				case q.ID != ev.ID || q.AnsweredAt != 0:
				case q.Blocking:
					add(waiting.ItemQuestion, fmt.Sprint(":", ev.ID), cmp.Or(string(q.To), "human"), &ev)
				case q.To == "" || q.To == "bob": // the others are agents
					add(waiting.ItemAsked, fmt.Sprint(":", ev.ID), cmp.Or(string(q.To), "human"), &ev)
				}
			}
		case task.TaskMoved:
			from, to := status(p.From), status(p.To)
			if unheld = nil; to == task.InProgress {
				unheld = &ev
			}
			if from == task.InReview {
				failed(&ev)
			}
			switch {
			case to.Closed():
				waits, lapsed, failures = nil, nil, 0
				if !from.Closed() && !cast[ev.Actor].Human && t.Autonomy != "autonomous" {
					left = &ev
				}
			case to == task.InReview && waits == nil:
				waits, left = &ev, nil
			case from == task.InReview:
				waits, left = nil, nil
			default:
				left = nil
			}
		}
		// A write by the holder extends its lease; an event that only reports a refusal is not a write to the task.
		refusal := ev.Kind == task.ApprovalRequested || ev.Kind == task.ApprovalRefused
		if t.Claim != nil && ev.Actor == t.Claim.Actor && !refusal {
			held = &ev
		}
	}
	if waits != nil {
		missing := task.MissingApprovals(houseRules.Required(t), f.approvals[t.ID])
		names := map[string]int{}
		for _, r := range missing {
			tail := ":" + r.For()
			if names[string(waiting.KindOf(r))+tail]++; names[string(waiting.KindOf(r))+tail] > 1 {
				add(waiting.KindOf(r), tail+"#2", r.For(), waits)
				continue
			}
			add(waiting.KindOf(r), tail, r.For(), waits)
		}
		unticked := func(c task.Criterion) bool { return !c.Checked }
		settled := f.approvedSince(t.ID, waits.ID, "") && t.Questions == 0 && !slices.ContainsFunc(t.Criteria, unticked)
		if len(missing) == 0 && t.Status == task.InReview && !settled {
			add(waiting.ItemReview, "", "human", waits)
		}
	}
	if left != nil {
		add(waiting.ItemReview, ":closed", "human", left)
	}
	switch {
	case t.Lapse == task.ThisEvent:
		add(waiting.ItemLapse, "", "human", nil).Since = t.UpdatedAt
	case lapsed != nil:
		add(waiting.ItemLapse, "", "human", lapsed)
	}
	if unheld != nil {
		add(waiting.ItemUnheld, "", "human", unheld)
	}
	asked := slices.ContainsFunc(f.questions[t.ID], func(q task.Question) bool {
		after := t.Lapse != task.ThisEvent && failing != nil && q.ID > failing.ID
		return q.Blocking && q.AnsweredAt == 0 && (q.Actor == t.LastHolder || after)
	})
	switch {
	case asked: // the question stands for it
	case t.Lapse == task.ThisEvent && failures >= 2:
		add(waiting.ItemFailing, "", "human", nil).Since = t.UpdatedAt
	case t.Lapse != task.ThisEvent && failures >= 3:
		add(waiting.ItemFailing, "", "human", failing)
	}
	if t.Claim != nil && t.Claim.LeaseMs > 0 {
		if half := held.At.Add(t.Claim.LeaseMs / 2); half <= f.tx.Now() {
			add(waiting.ItemStalled, "", "human", last).Since = half
		}
	}
	return out
}

// mine reports whether an item is addressed to a reader.
func mine(it inbox.Item, a task.Actor) bool {
	switch it.Kind {
	case waiting.ItemQuestion:
		return it.For == a.Name || slices.Contains(a.Roles, it.For) || it.For == "human" && a.Human
	case waiting.ItemAsked:
		return a.Human && (it.For == a.Name || it.For == "human")
	case waiting.ItemApproval, waiting.ItemVerification:
		return a.Human && (it.For == "human" || it.For == "actor:"+a.Name || strings.HasPrefix(it.For, "role:") && slices.Contains(a.Roles, it.For[5:]))
	default:
		return a.Human
	}
}
