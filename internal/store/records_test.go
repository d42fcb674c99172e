package store_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/recount"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue { // every step recounts a project: fewer than the default
		if err := flag.Set("rapid.checks", "25"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// history drives random operations, decided by the domain's own rules, and checks the maintained values after each.
type history struct {
	slug   string
	t      *rapid.T
	s      *store.Store
	policy task.Policy
	ids    []task.ID
	asked  []int64
}

// write runs fn in a turn. All draws happen before it, because fn runs on another goroutine.
func (h *history) write(by task.By, fn func(*store.Tx) error) {
	err := h.s.Write(context.Background(), by, fn)
	var f *fault.Error
	if err != nil && (!errors.As(err, &f) || f.Kind == fault.Internal || f.Kind == fault.Unavailable) {
		h.t.Fatalf("a write ended in %v", err)
	}
}

func (h *history) by() task.By {
	name := rapid.SampledFrom([]string{"alice", "bob", "carol"}).Draw(h.t, "actor")
	return task.By{Actor: task.Actor{Name: name, Human: name == "alice", Declared: true, Roles: []string{"dev"}}}
}

func (h *history) pick(label string) task.ID { return rapid.SampledFrom(h.ids).Draw(h.t, label) }

func (h *history) create() {
	list := make([]task.NewTask, rapid.IntRange(1, 5).Draw(h.t, "n"))
	for i := range list {
		t := storetest.Fresh("")
		t.Severity = task.Severity(rapid.IntRange(0, 4).Draw(h.t, "severity"))
		t.Priority = rapid.IntRange(0, 3).Draw(h.t, "priority")
		t.PreferredActor = task.Opt(rapid.SampledFrom([]string{"", "alice", "bob", "zoe"}).Draw(h.t, "preferred"))
		t.Autonomy = task.Opt(rapid.SampledFrom([]string{"", "human_only"}).Draw(h.t, "autonomy"))
		t.Status = rapid.SampledFrom([]task.Status{task.Open, task.Open, task.Open, task.Done, task.InProgress, task.InReview}).Draw(h.t, "status")
		t.Due = task.Opt(rapid.SampledFrom(dues).Draw(h.t, "due"))
		if rapid.Bool().Draw(h.t, "body") {
			t.Body = "What to do"
		}
		nt := task.NewTask{Task: t, Event: task.Draft{Kind: task.TaskCreated}}
		if i > 0 && rapid.Bool().Draw(h.t, "child") {
			nt.NewParent = rapid.IntRange(1, i).Draw(h.t, "parent")
		} else if len(h.ids) > 0 && rapid.Bool().Draw(h.t, "child of old") {
			t.Parent = task.Opt(h.pick("old parent"))
		}
		if i > 0 && rapid.Bool().Draw(h.t, "dep") {
			nt.NewDeps = []int{rapid.IntRange(0, i-1).Draw(h.t, "on")}
		}
		if len(h.ids) > 0 && rapid.Bool().Draw(h.t, "old dep") {
			t.Deps = []task.ID{h.pick("on old")}
		}
		list[i] = nt
	}
	h.write(h.by(), func(w *store.Tx) error {
		for _, nt := range list {
			nt.Task.CreatedAt, nt.Task.UpdatedAt = w.Now(), w.Now()
			if nt.Task.Status.Closed() {
				nt.Task.ClosedAt = w.Now()
			}
		}
		if err := w.CreateTasks(h.slug, list); err != nil {
			return err
		}
		return h.mark(w)
	})
	for _, nt := range list {
		h.ids = append(h.ids, nt.Task.ID)
	}
}

func (h *history) claim() {
	id, lease := h.pick("claim"), int64(rapid.SampledFrom([]int{0, 1000, 100000}).Draw(h.t, "lease"))
	by := h.by()
	h.write(by, func(w *store.Tx) error {
		t, err := w.Task(id)
		if err != nil {
			return err
		}
		after, _, err := t.ClaimBy(by.Actor, h.policy, nil, &lease, w.Now())
		if err != nil {
			return err
		}
		return w.Save(task.Change{Before: t, After: after, Events: []task.Draft{{Kind: task.TaskClaimed}}})
	})
}

// moved returns the event of a move, as far as a recount reads it.
func moved(m task.Moved) task.Draft {
	return task.Draft{Kind: task.TaskMoved, Payload: task.Payload{"from": m.From, "to": m.After.Status}}
}

func (h *history) move() {
	id, to := h.pick("move"), rapid.SampledFrom(task.Statuses).Draw(h.t, "to")
	by, regret := h.by(), rapid.IntRange(0, 9).Draw(h.t, "regret") == 0
	h.write(by, func(w *store.Tx) error {
		t, err := w.Task(id)
		if err != nil {
			return err
		}
		m, err := t.MoveBy(by.Actor, h.policy, task.Move{To: to}, task.Standing{}, w.Now())
		if err != nil || !m.Changed {
			return err
		}
		if err := w.Save(task.Change{Before: t, After: m.After, Events: []task.Draft{moved(m)}}); err != nil {
			return err
		}
		if regret {
			return fault.Decline("on second thoughts")
		}
		return nil
	})
}

func (h *history) edit() {
	id, on := h.pick("edit"), h.pick("on")
	priority := rapid.IntRange(0, 3).Draw(h.t, "priority")
	preferred := rapid.SampledFrom([]string{"", "bob"}).Draw(h.t, "preferred")
	may := rapid.SampledFrom([][]string{nil, {"dev"}, {"ops"}}).Draw(h.t, "may")
	body := rapid.SampledFrom([]string{"", "Another"}).Draw(h.t, "body")
	parent := rapid.IntRange(0, 2).Draw(h.t, "parent")
	h.write(h.by(), func(w *store.Tx) error {
		t, err := w.Task(id)
		if err != nil {
			return err
		}
		if err := w.Fill(t); err != nil {
			return err
		}
		after := *t
		after.Version++
		after.Priority = priority
		after.PreferredActor = task.Opt(preferred)
		after.MayExecute = may
		after.Body = task.Opt(body)
		// Only tasks with a lower number, so that there are no cycles.
		if task.CompareIDs(on, id) < 0 {
			if slices.Contains(t.Deps, on) {
				after.Deps = slices.DeleteFunc(slices.Clone(t.Deps), func(d task.ID) bool { return d == on })
			} else {
				after.Deps = append(slices.Clone(t.Deps), on)
			}
			after.Parent = task.Opt([]string{"", string(on), string(t.Parent)}[parent])
		}
		if err := w.Save(task.Change{Before: t, After: &after, Whole: true, Events: []task.Draft{{Kind: task.TaskUpdated}}}); err != nil {
			return err
		}
		return h.mark(w)
	})
}

// mark marks the tasks that stand in a circle with their parents, found the simple way.
func (h *history) mark(w *store.Tx) error {
	all, _, _, err := w.List(query.List{Project: h.slug})
	if err != nil {
		return err
	}
	if err := w.Fill(all...); err != nil {
		return err
	}
	next := map[task.ID][]task.ID{}
	for _, t := range all {
		next[t.ID] = append(next[t.ID], t.Deps...)
		next[task.ID(t.Parent)] = append(next[task.ID(t.Parent)], t.ID)
	}
	var marks []query.CircleMark
	for _, t := range all {
		seen, todo := map[task.ID]bool{}, []task.ID{t.ID}
		for len(todo) > 0 {
			at := todo[0]
			todo = todo[1:]
			if !seen[at] {
				seen[at] = true
				todo = append(todo, next[at]...)
			}
		}
		marks = append(marks, query.CircleMark{Child: t.ID, In: t.Parent != "" && seen[task.ID(t.Parent)]})
	}
	return w.MarkCircles(marks)
}

func (h *history) release() {
	id, by := h.pick("release"), h.by()
	h.write(by, func(w *store.Tx) error {
		t, err := w.Task(id)
		if err != nil {
			return err
		}
		after, holder, err := t.ReleaseBy(by.Actor, nil, true, w.Now())
		if err != nil || holder == "" {
			return err
		}
		return w.Save(task.Change{Before: t, After: after, Events: []task.Draft{{Kind: task.ClaimReleased, Payload: task.Payload{"failed": true}}}})
	})
}

// check recounts everything, and compares every lane with a plain sort.
func (h *history) check() {
	a := h.by().Actor
	err := h.s.Read(context.Background(), func(r *store.Tx) error {
		found, _, err := recount.Recount(r, h.slug)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			h.t.Fatalf("a recount differs: %+v", found)
		}
		all, _, _, err := r.List(query.List{Project: h.slug})
		if err != nil {
			return err
		}
		if err := h.counts(r, all); err != nil {
			return err
		}
		if err := h.lists(r, all); err != nil {
			return err
		}
		order, err := task.NewOrder(h.policy.Selection)
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(x, y *task.Task) int { return order.Compare(h.policy, a, x, y) })
		var want [9][]task.ID
		for _, t := range all {
			may := h.policy.MayHold(a, t.Autonomy, t.MayExecute) == nil
			if t.Ready() {
				want[query.LaneReady] = append(want[query.LaneReady], t.ID)
			}
			if t.Ready() && may {
				want[query.LaneHoldable] = append(want[query.LaneHoldable], t.ID)
			}
			switch t.Status {
			case task.Open:
				if !t.Ready() {
					want[query.LaneNotReady] = append(want[query.LaneNotReady], t.ID)
				}
				if t.OpenDeps+t.Parts > 0 {
					want[query.LaneWaiting] = append(want[query.LaneWaiting], t.ID)
				}
			case task.InProgress:
				want[query.LaneInProgress] = append(want[query.LaneInProgress], t.ID)
			case task.InReview:
				want[query.LaneInReview] = append(want[query.LaneInReview], t.ID)
			}
			asked := t.Status == task.Open && t.OpenDeps+t.Parts == 0 && t.Questions > 0
			if asked {
				want[query.LaneAsked] = append(want[query.LaneAsked], t.ID)
			}
			if t.Status == task.InProgress && t.Claim == nil {
				want[query.LaneUnheld] = append(want[query.LaneUnheld], t.ID)
			}
			if t.Claim != nil || asked || (t.Ready() && !may) {
				want[query.LanePassedOver] = append(want[query.LanePassedOver], t.ID)
			}
		}
		for lane := range want {
			var got []task.ID
			err := r.Walk(query.Frontier{Project: h.slug, Policy: h.policy, Actor: a, Lane: query.Lane(lane)}, func(t *task.Task) bool {
				got = append(got, t.ID)
				return true
			})
			if err != nil {
				return err
			}
			if diff := cmp.Diff(want[lane], got); diff != "" {
				h.t.Fatalf("lane %d of %s differs from a plain sort (-want +got):\n%s", lane, a.Name, diff)
			}
		}
		p, err := r.Project(h.slug)
		if err != nil {
			return err
		}
		if p.Ready != len(want[query.LaneReady]) {
			h.t.Fatalf("the project counts %d ready tasks, there are %d", p.Ready, len(want[query.LaneReady]))
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestRandomHistoriesKeepEverythingMaintainedEqualToARecount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		c := storetest.NewClock()
		s := storetest.Open(t, path, c)
		runs := 0
		storetest.Check(t, path, func(rt *rapid.T) {
			runs++ // a new project for each run
			h := &history{t: rt, s: s, slug: fmt.Sprint("p", runs), policy: task.Policy{
				Selection:      rapid.SampledFrom([][]task.SelectKey{nil, {task.ByAge}, {task.ByPriority}, {task.BySeverity, task.ByRank, task.ByDue}}).Draw(rt, "policy"),
				PreferredActor: rapid.SampledFrom([]string{"", "bob"}).Draw(rt, "project prefers"),
			}}
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				return w.CreateProject(&task.Project{Slug: h.slug}, task.Draft{Kind: task.ProjectCreated})
			})
			h.create()
			for range rapid.IntRange(1, 25).Draw(rt, "steps") {
				rapid.SampledFrom([]func(){h.create, h.claim, h.claim, h.move, h.move, h.edit, h.release, h.ask, h.answer, h.decide, h.postpone}).Draw(rt, "op")()
				c.Step(time.Duration(rapid.SampledFrom([]int{0, 1, 1500}).Draw(rt, "ms")) * time.Millisecond)
				h.check()
			}
		})
	})
}

func TestEventsAreDenseAndInOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			return w.CreateProject(&task.Project{Slug: "demo"}, task.Draft{Kind: task.ProjectCreated})
		})
		for i := range 3 {
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				nt := task.NewTask{Task: storetest.Fresh(fmt.Sprint("k", i)), Event: task.Draft{Kind: task.TaskCreated, Payload: task.Payload{"n": i}}}
				nt.Evidence = []task.EvidenceItem{{Kind: "tests", Value: "pass"}}
				return w.CreateTasks("demo", []task.NewTask{nt})
			})
		}
		storetest.Read(t, s, func(r *store.Tx) error {
			zero := int64(0)
			events, err := r.Events(query.Events{Project: "demo", SinceID: &zero})
			if err != nil {
				return err
			}
			for i, ev := range events {
				if ev.ID != int64(i+1) {
					t.Errorf("event %d has id %d", i+1, ev.ID)
				}
			}
			if len(events) != 7 || r.LastEvent() != 7 {
				t.Errorf("%d events, the newest %d, want 7", len(events), r.LastEvent())
			}
			if events[1].Batch != events[2].Batch || events[1].Batch == events[3].Batch {
				t.Error("want one batch for the events of one request, and another for the next")
			}
			if string(events[1].Payload) != `{"n":0}` || events[1].Task != "demo-1" || events[1].Via.Face != "cli" {
				t.Errorf("the event reads %+v", events[1])
			}
			return nil
		})
	})
}
