package services_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/views/picture"
	"tasker/internal/views/reading"
)

// checkMachine compares who holds what with the records.
func (h *saga) checkMachine(f facts) {
	out, err := h.s.Reading.Machine(as("ann"), reading.ProjectIn{Slug: h.slug})
	if err != nil {
		h.t.Fatal(err)
	}
	var held []*task.Task
	for _, t := range f.tasks {
		if t.Claim != nil {
			held = append(held, t)
		}
	}
	slices.SortStableFunc(held, func(a, b *task.Task) int {
		return cmp.Or(strings.Compare(a.Claim.Actor, b.Claim.Actor), cmp.Compare(a.Claim.ClaimedAt, b.Claim.ClaimedAt))
	})
	want := reading.MachineOut{Project: h.slug, Total: len(held)}
	for _, t := range held {
		if n := len(want.Actors); n == 0 || want.Actors[n-1].Actor != t.Claim.Actor {
			name, _, _ := strings.Cut(t.Claim.Actor, "/")
			kind := map[bool]string{true: "human", false: "agent"}[cast[name].Human]
			want.Actors = append(want.Actors, reading.Working{Actor: t.Claim.Actor, Kind: kind})
		}
		all := f.of(t.ID)
		last := all[len(all)-1]
		who := &want.Actors[len(want.Actors)-1]
		who.Holding = append(who.Holding, reading.Lease{
			Task: t.ID, Title: t.Title, Actor: task.Opt(t.Claim.Actor), Since: t.Claim.ClaimedAt, ExpiresAt: t.Claim.ExpiresAt,
			Progress:  task.Progress{Total: len(t.Criteria)}, // none is ever ticked here
			LastEvent: &reading.LastEvent{ID: last.ID, At: last.At, Kind: last.Kind}, LeaseMs: t.Claim.LeaseMs,
			NeedsAnswer: t.Questions > 0,
			Stalled:     t.Claim.LeaseMs > 0 && f.tx.Now() >= t.Claim.ExpiresAt.Add(-t.Claim.LeaseMs/2),
		})
	}
	want.Workers = len(want.Actors)
	lapsed := map[task.ID]bool{}
	for id, lapse := range h.stuck(f, "ann") {
		if lapse {
			lapsed[id] = true
		}
	}
	var holders []reading.Working
	for _, a := range out.Actors {
		for _, l := range a.Lapsed {
			if !lapsed[l.Task] {
				h.t.Fatalf("%s is not a lapse for ann, but the machine reports it", l.Task)
			}
			delete(lapsed, l.Task)
		}
		a.State, a.QuietSince, a.UsualMs, a.DoneLastDay, a.Lapsed = "", 0, 0, 0, nil // see TestWorkersAreSortedByTrouble
		for i := range a.Holding {
			a.Holding[i].WroteAt = 0
		}
		if len(a.Holding) > 0 {
			holders = append(holders, a)
		}
	}
	if len(lapsed) > 0 {
		h.t.Fatalf("the machine does not report the lapses %v", lapsed)
	}
	out.Actors = holders
	slices.SortFunc(out.Actors, func(a, b reading.Working) int { return strings.Compare(a.Actor, b.Actor) })
	if diff := gocmp.Diff(want, out); diff != "" {
		h.t.Fatalf("the machine (-want +got):\n%s", diff)
	}
}

// checkProof compares closed work with the log.
func (h *saga) checkProof(f facts) {
	out, err := h.s.Reading.ProofOf(as("ann"), reading.ProofIn{Slug: h.slug, Limit: new(1000)})
	if err != nil {
		h.t.Fatal(err)
	}
	closed := slices.DeleteFunc(slices.Clone(f.tasks), func(t *task.Task) bool { return !t.Status.Closed() })
	slices.SortFunc(closed, func(a, b *task.Task) int {
		return cmp.Or(cmp.Compare(b.ClosedAt, a.ClosedAt), task.CompareIDs(b.ID, a.ID))
	})
	var want, got []string
	tally := reading.Tally{Total: len(closed)}
	for _, t := range closed {
		forced, given := 0, 0
		for _, ev := range f.of(t.ID) {
			if ev.Kind == task.OverrideForced {
				forced++
			}
		}
		for _, a := range f.approvals[t.ID] {
			if !a.Stale {
				given = 1
			}
		}
		*tally.Project.Of(t.Status)++
		tally.Approved += given
		tally.Overrides += min(forced, 1)
		if t.Recorded {
			tally.Recorded++
		}
		want = append(want, fmt.Sprint(t.ID, t.Status, t.ClosedBy, t.ClosedAt, t.Recorded, forced, len(f.approvals[t.ID])))
	}
	tally.Done, tally.Cancelled = tally.Project.Done, tally.Project.Cancelled
	for _, t := range f.tasks {
		if !t.Status.Closed() {
			*tally.Project.Of(t.Status)++
		}
	}
	for _, p := range out.Closed {
		got = append(got, fmt.Sprint(p.Task, p.Status, string(p.ClosedBy), p.ClosedAt, p.Recorded, len(p.Overrides), len(p.Approvals)))
	}
	if diff := gocmp.Diff(want, got) + gocmp.Diff(tally, out.Tally); diff != "" {
		h.t.Fatalf("the proof (-want +got):\n%s", diff)
	}
	// The tally is of all that was closed, however little of it is listed.
	one, err := h.s.Reading.ProofOf(as("ann"), reading.ProofIn{Slug: h.slug, Only: reading.OnlyForced, Limit: new(1)})
	if one.Tally.More = false; err != nil || one.Tally != tally || len(one.Closed) != min(1, tally.Overrides) {
		h.t.Fatalf("the proof of one: %+v (%v), want %+v", one.Tally, err, tally)
	}
}

// checkTimeline derives held spans from the log, and counts the burn-up at each of its moments.
func (h *saga) checkTimeline(f facts) {
	out, err := h.s.Picture.Timeline(as("ann"), picture.TimelineIn{Slug: h.slug})
	if err != nil {
		h.t.Fatal(err)
	}
	var want []picture.Held
	for _, t := range f.tasks {
		want = append(want, h.spans(f, t)...)
	}
	begun := func(a, b picture.Held) int {
		return cmp.Or(cmp.Compare(a.From, b.From), task.CompareIDs(a.Task, b.Task))
	}
	slices.SortStableFunc(want, begun)
	got := slices.Clone(out.Spans)
	slices.SortStableFunc(got, begun)
	if diff := gocmp.Diff(want, got); diff != "" || out.More {
		h.t.Fatalf("held spans (-want +got):\n%s", diff)
	}
	for i, level := range out.Burnup {
		scope, done := 0, 0
		for _, t := range f.tasks {
			if t.CreatedAt <= level.At {
				scope++
			}
			if t.Status == task.Cancelled && t.ClosedAt <= level.At {
				scope--
			}
			if t.Status == task.Done && t.ClosedAt <= level.At {
				done++
			}
		}
		if level.Scope != scope || level.Closed != done || i > 0 && level.At <= out.Burnup[i-1].At {
			h.t.Fatalf("level %d of the burn-up is %+v, want %d of %d", i, level, done, scope)
		}
	}
	if n := len(out.Burnup); n == 0 || out.Burnup[n-1].At < f.tx.Now() {
		h.t.Fatalf("the burn-up has %d levels, and ends before now", n)
	}
}

// spans returns when a task was held, according to its events.
func (h *saga) spans(f facts, t *task.Task) (out []picture.Held) {
	held := false
	end := func(at task.Time, how string) {
		if held {
			out[len(out)-1].To, out[len(out)-1].End = at, how
		}
		held = false
	}
	for _, ev := range f.of(t.ID) {
		switch ev.Kind {
		case task.TaskClaimed:
			held = true
			out = append(out, picture.Held{Task: t.ID, Title: t.Title, Actor: ev.Actor, From: ev.At, To: f.tx.Now(), End: "live"})
		case task.ClaimReleased:
			end(ev.At, "released")
		case task.ClaimExpired:
			end(ev.At, "lapsed")
		case task.TaskMoved:
			if to, _ := h.payload(ev).To.(string); to != string(task.InProgress) {
				end(ev.At, to)
			}
		}
	}
	if t.Claim == nil {
		end(t.UpdatedAt, "lapsed") // but not written yet
	}
	return out
}

// checkEvents compares each actor's log, for any instance or a single one, with the whole log.
func (h *saga) checkEvents(f facts) {
	by := rapid.SampledFrom([]string{"ann", "bot", "bee", "bee/2", "nobody"}).Draw(h.t, "by")
	limit := rapid.SampledFrom([]int{0, 1, 3}).Draw(h.t, "events")
	var want []int64
	for _, ev := range f.events {
		if name, _, _ := strings.Cut(ev.Actor, "/"); ev.Actor == by || name == by {
			want = append(want, ev.ID)
		}
	}
	none := int64(0)
	for _, since := range []*int64{nil, &none} {
		part := want
		if limit > 0 && len(want) > limit {
			if part = want[:limit]; since == nil {
				part = want[len(want)-limit:]
			}
		}
		for _, project := range []string{h.slug, ""} {
			found, err := f.tx.Events(query.Events{Project: project, By: by, SinceID: since, Limit: limit})
			if err != nil {
				h.t.Fatal(err)
			}
			var got []int64
			for _, ev := range found {
				if string(ev.Project) == h.slug {
					got = append(got, ev.ID)
				}
			}
			if fmt.Sprint(part) != fmt.Sprint(got) && (project != "" || since == nil && limit == 0) {
				h.t.Fatalf("events by %s, limit %d, in %q: %v, want %v", by, limit, project, got, part)
			}
		}
	}
}
