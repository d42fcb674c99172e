package services_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tasker/internal/app"
	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/core/people"
	"tasker/internal/core/planning"
	"tasker/internal/core/services"
	"tasker/internal/core/work"
	"tasker/internal/dbtest"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/task/inbox"
)

// home is the operations over a fresh database, under the rules of the house.
type home struct {
	*testing.T
	s *services.Set
}

func eachHome(t *testing.T, fn func(h *home)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db string) {
		a, err := app.Open(app.Options{DB: db})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}()
		a.Services.Settings = house{a.Services.Settings}
		fn(&home{t, a.Services})
	})
}

func (h *home) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatalf("%v (%s)", err, fault.Of(err).Hint)
	}
}

func (h *home) refused(err error, kind fault.Kind, words string) {
	h.Helper()
	if !fault.Is(err, kind) || !strings.Contains(err.Error(), words) {
		h.Errorf("%v is not the refusal %q", err, words)
	}
}

func (h *home) apply(slug string, tasks ...string) {
	h.Helper()
	doc, err := plan.Decode([]byte(`{"project": "` + slug + `", "tasks": [` + strings.Join(tasks, ",") + `]}`))
	h.must(err)
	_, err = h.s.Planning.Apply(as("ann"), planning.ApplyIn{Doc: doc})
	h.must(err)
}

// inbox gives the ids of a reader's items.
func (h *home) inbox(reader string) (ids []string) {
	h.Helper()
	out, err := h.s.People.Inbox(as(reader), people.InboxIn{Slug: "demo"})
	h.must(err)
	for _, it := range out.Items {
		ids = append(ids, it.ID)
	}
	return ids
}

func (h *home) has(what string, got []string, want ...string) {
	h.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		h.Errorf("%s: %v, not %v", what, got, want)
	}
}

func TestApprovalsGoFromTheInboxAsTheyAreGiven(t *testing.T) {
	eachHome(t, func(h *home) {
		h.apply("demo", `{"key": "a", "title": "A", "gate": "ship"}`, `{"key": "b", "title": "B", "deps": ["a"]}`)
		_, err := h.s.Work.Move(as("bot"), work.MoveIn{Task: "demo-1", To: "done"})
		h.refused(err, fault.Declined, "missing approvals")
		h.has("ann's", h.inbox("ann"), "approval_requested:demo-1:role:lead", "approval_requested:demo-1:role:lead#2")
		h.has("bob's", h.inbox("bob"), "verification_requested:demo-1:actor:bob")
		h.has("bot's", h.inbox("bot"))
		out, err := h.s.People.Inbox(as("ann"), people.InboxIn{Slug: "demo"})
		h.must(err)
		if it := out.Items[0]; it.Why != "approval by lead: it ships" || it.For != "role:lead" || it.Unblocks != 1 || it.Title != "A" {
			h.Errorf("%+v", it)
		}
		_, err = h.s.Work.Approve(as("ann"), work.ApproveIn{Task: "demo-1"})
		h.must(err)
		h.has("ann's", h.inbox("ann"))
		_, err = h.s.Work.Move(as("bot"), work.MoveIn{Task: "demo-1", To: "in_review"})
		h.must(err)
		h.has("ann's", h.inbox("ann"))
		_, err = h.s.Work.Approve(as("bob"), work.ApproveIn{Task: "demo-1", Kind: "verification"})
		h.must(err)
		h.has("ann's, in review with nothing missing", h.inbox("ann"), "review:demo-1")
		_, err = h.s.Work.Move(as("ann"), work.MoveIn{Task: "demo-1", To: "open"})
		h.must(err)
		h.has("ann's, sent back", h.inbox("ann"))
	})
}

func TestAnItemPutAwayComesBackWhenItHappensAnew(t *testing.T) {
	eachHome(t, func(h *home) {
		h.apply("demo", `{"key": "a", "title": "A", "status": "in_review"}`)
		h.has("ann's", h.inbox("ann"), "review:demo-1")
		for range 2 { // once more is a success that changes nothing
			out, err := h.s.People.Ack(as("ann"), people.AckIn{Slug: "demo", Items: []string{"review:demo-1"}})
			h.must(err)
			h.has("put away for "+out.Actor, out.Items, "review:demo-1")
		}
		h.has("ann's", h.inbox("ann"))
		h.has("bob's", h.inbox("bob"), "review:demo-1")
		all, err := h.s.People.Inbox(as("ann"), people.InboxIn{Slug: "demo", All: true})
		h.must(err)
		if len(all.Items) != 1 || !all.Items[0].Seen {
			h.Errorf("%+v", all)
		}
		for _, to := range []string{"open", "in_review"} {
			_, err := h.s.Work.Move(as("bot"), work.MoveIn{Task: "demo-1", To: to})
			h.must(err)
		}
		h.has("ann's", h.inbox("ann"), "review:demo-1")
	})
}

func TestOnlyWhatIsInTheInboxIsPutAway(t *testing.T) {
	eachHome(t, func(h *home) {
		h.apply("demo", `{"key": "a", "title": "A"}`)
		h.apply("other", `{"key": "a", "title": "A", "status": "in_review"}`)
		for _, c := range []struct {
			items []string
			kind  fault.Kind
			words string
		}{
			{nil, fault.Invalid, "no item is named"},
			{[]string{"demo-1"}, fault.Invalid, "is not the id of an inbox item"},
			{[]string{"party:demo-1"}, fault.Invalid, "is not the id of an inbox item"},
			{[]string{"review:demo-1"}, fault.NotFound, "there is no item review:demo-1"},
			{[]string{"review:demo-9"}, fault.NotFound, "there is no item review:demo-9"},
			{[]string{"review:other-1"}, fault.NotFound, "in the inbox of demo"},
		} {
			_, err := h.s.People.Ack(as("ann"), people.AckIn{Slug: "demo", Items: c.items})
			h.refused(err, c.kind, c.words)
		}
		_, err := h.s.People.Ack(as("ann"), people.AckIn{Slug: "none", Items: []string{"review:none-1"}})
		h.refused(err, fault.NotFound, `there is no project "none"`)
	})
}

func TestWhatIsAllSeenIsNotLookedThroughAgain(t *testing.T) {
	eachHome(t, func(h *home) {
		h.apply("demo", `{"key": "a", "title": "A", "criteria": ["x"]}`)
		for range 3 {
			_, err := h.s.Work.Move(as("ann"), work.MoveIn{Task: "demo-1", To: "done", Force: true})
			h.must(err)
			_, err = h.s.Work.Move(as("ann"), work.MoveIn{Task: "demo-1", To: "open"})
			h.must(err)
		}
		items := h.inbox("bob")
		if len(items) != 3 {
			h.Fatalf("%v", items)
		}
		seenTo := func() (stamp int64, rows int) {
			h.Helper()
			h.must(h.s.Store.Read(context.Background(), func(tx *core.ReadTx) (err error) {
				if stamp, err = tx.Marks.SeenAll("bob", "demo", inbox.WaitOverride); err != nil {
					return err
				}
				seen, err := tx.Marks.Seen("bob", "demo", []task.ID{"demo-1"})
				rows = len(seen)
				return err
			}))
			return stamp, rows
		}
		put := func(item string) {
			h.Helper()
			_, err := h.s.People.Ack(as("bob"), people.AckIn{Slug: "demo", Items: []string{item}})
			h.must(err)
		}
		put(items[1])
		if stamp, rows := seenTo(); stamp != 0 || rows != 1 {
			h.Errorf("the first is not seen yet: all up to %d, and %d more", stamp, rows)
		}
		put(items[0])
		h.has("bob's", h.inbox("bob"), items[2])
		if stamp, rows := seenTo(); fmt.Sprint("override:demo-1:", stamp) != items[1] || rows != 0 {
			h.Errorf("two of three are seen: all up to %d, and %d more", stamp, rows)
		}
		all, err := h.s.People.Inbox(as("bob"), people.InboxIn{Slug: "demo", All: true})
		h.must(err)
		if len(all.Items) != 3 || !all.Items[0].Seen || !all.Items[1].Seen || all.Items[2].Seen {
			h.Errorf("%+v", all.Items)
		}
		h.has("ann's", h.inbox("ann"), items...)
	})
}

func TestTheInboxIsExactToAThousand(t *testing.T) {
	eachHome(t, func(h *home) {
		grow := func(slug string, from, to int) {
			var tasks []string
			for i := from; i < to; i++ {
				tasks = append(tasks, fmt.Sprintf(`{"key": "k%d", "title": "T", "status": "in_review"}`, i))
			}
			h.apply(slug, tasks...)
		}
		look := func(total int, more bool) {
			h.Helper()
			out, err := h.s.People.Inbox(as("ann"), people.InboxIn{Slug: "demo"})
			h.must(err)
			if out.Total != total || out.TotalMore != more || len(out.Items) != 50 || out.Items[49].ID != "review:demo-50" {
				h.Errorf("total %d, more %v, %d items, the last %s", out.Total, out.TotalMore, len(out.Items), out.Items[len(out.Items)-1].ID)
			}
		}
		grow("demo", 0, 1000)
		look(1000, false)
		grow("demo", 1000, 1001)
		look(1000, true)
		out, err := h.s.People.Estate(as("ann"), people.EstateIn{})
		h.must(err)
		if out.Matching != 1000 || !out.TotalMore || out.Watermark != *out.Items[49].Event {
			h.Errorf("matching %d, more %v, watermark %d", out.Matching, out.TotalMore, out.Watermark)
		}
		for _, limit := range []int{0, -1} {
			_, err = h.s.People.Inbox(as("ann"), people.InboxIn{Slug: "demo", Limit: &limit})
			h.refused(err, fault.Invalid, "limit is")
		}
	})
}

// Once there are more than are counted, the other sorts are read no further than is given: the oldest all the same.
func TestTheInboxIsOldestFirstPastAThousand(t *testing.T) {
	eachHome(t, func(h *home) {
		var asked, reviewed []string
		for i := range 80 {
			asked = append(asked, fmt.Sprintf(`{"key": "q%d", "title": "Q"}`, i))
		}
		h.apply("demo", asked...)
		var want []string
		for i := range asked {
			q, err := h.s.Work.Ask(as("bot"), work.AskIn{Task: fmt.Sprintf("demo-%d", i+1), Text: "which?", Blocking: true})
			h.must(err)
			want = append(want, fmt.Sprintf("blocking_question:demo-%d:%d", i+1, q.ID))
		}
		for i := range 1001 {
			reviewed = append(reviewed, fmt.Sprintf(`{"key": "r%d", "title": "R", "status": "in_review"}`, i))
		}
		h.apply("demo", reviewed...)
		for _, limit := range []int{1, 50, 70, 100} {
			out, err := h.s.People.Inbox(as("ann"), people.InboxIn{Slug: "demo", Limit: &limit})
			h.must(err)
			var got []string
			for _, it := range out.Items {
				got = append(got, it.ID)
			}
			first := min(limit, len(want))
			if len(got) != limit || !out.TotalMore {
				h.Fatalf("limit %d: %d items, more %v", limit, len(got), out.TotalMore)
			}
			h.has(fmt.Sprintf("the first of %d", limit), got[:first], want[:first]...)
		}
	})
}

func TestTheMarkNeverMovesBack(t *testing.T) {
	eachHome(t, func(h *home) {
		h.apply("demo", `{"key": "a", "title": "A"}`, `{"key": "b", "title": "B"}`)
		_, err := h.s.People.Seen(as("ann"), people.SeenIn{})
		h.refused(err, fault.Invalid, "there is no watermark")
		for _, wrong := range []int64{-1, 1 << 40} {
			_, err := h.s.People.Seen(as("ann"), people.SeenIn{Watermark: &wrong})
			h.refused(err, fault.Invalid, "watermark is")
		}
		before, err := h.s.Reading.Newest(as("ann"), core.None{})
		h.must(err)
		for _, c := range [][2]int64{{2, 2}, {1, 2}, {3, 3}} {
			out, err := h.s.People.Seen(as("ann"), people.SeenIn{Watermark: &c[0]})
			if h.must(err); out.Watermark != c[1] {
				h.Errorf("seen %d keeps %d", c[0], out.Watermark)
			}
		}
		if after, err := h.s.Reading.Newest(as("ann"), core.None{}); err != nil || after != before {
			h.Errorf("a reader's marks are no events: %d, then %d (%v)", before, after, err)
		}
		for reader, seen := range map[string]int64{"ann": 3, "bob": 0} {
			out, err := h.s.People.Estate(as("bob"), people.EstateIn{Actor: reader})
			if h.must(err); out.Seen != seen || len(out.Items) != 2 || out.Items[0].New != (seen == 0) {
				h.Errorf("%s: %+v", reader, out)
			}
		}
	})
}

func TestTheEstateIsEveryProjectButTheArchived(t *testing.T) {
	eachHome(t, func(h *home) {
		h.apply("one", `{"key": "a", "title": "A", "priority": 2}`, `{"key": "r", "title": "R", "status": "in_review"}`)
		h.apply("two", `{"key": "a", "title": "A", "priority": 0}`)
		h.apply("old", `{"key": "a", "title": "A"}`)
		_, err := h.s.Admin.ProjectArchive(as("ann"), admin.ProjectArchiveIn{Slug: "old"})
		h.must(err)
		out, err := h.s.People.Estate(as("ann"), people.EstateIn{})
		h.must(err)
		var ids []string
		for _, it := range out.Items {
			ids = append(ids, it.Project+" "+it.ID)
		}
		h.has("items", ids, "one review:one-2", "two ready:two-1", "one ready:one-1")
		if out.Total != 3 || out.Matching != 3 {
			h.Errorf("%d of %d", out.Matching, out.Total)
		}
	})
}

func TestAProjectWithoutLinksSaysSo(t *testing.T) {
	eachHome(t, func(h *home) {
		h.apply("demo", `{"key": "a", "title": "A"}`)
		in := core.ProjectIn{Slug: "demo"}
		sync, err := h.s.Reading.Sync(as("ann"), in)
		if h.must(err); len(sync.Links) != 0 || sync.Loop != nil {
			h.Errorf("%+v", sync)
		}
		own, err := h.s.Reading.Ownership(as("ann"), in)
		if h.must(err); own.Preset != "local" || len(own.Fields) == 0 || own.Fields[0].Owner != "local" {
			h.Errorf("%+v", own)
		}
		conflicts, err := h.s.Reading.Conflicts(as("ann"), in)
		if h.must(err); conflicts.Total != 0 || len(conflicts.Items) != 0 {
			h.Errorf("%+v", conflicts)
		}
		_, err = h.s.Reading.Sync(as("ann"), core.ProjectIn{Slug: "none"})
		h.refused(err, fault.NotFound, `there is no project "none"`)
	})
}
