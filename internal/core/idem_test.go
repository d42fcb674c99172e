package core_test

import (
	"testing"

	"tasker/internal/core/planning"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
)

func TestAnIdempotencyKeyAnswersWhatItAnsweredBefore(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "body": "text", "deps": ["b"]}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
		note := under(bot, "/notes", "1", "x")
		first, err := k.s.Work.Note(note, work.NoteIn{Task: "demo-1", Text: "once"})
		k.must(err)
		again, err := k.s.Work.Note(note, work.NoteIn{Task: "demo-1", Text: "once"})
		k.must(err)
		is(k, "id", again.ID, first.ID)
		is(k, "notes", len(k.show("demo-1").Notes), 1)
		_, err = k.s.Work.Note(under(bot, "/notes", "1", "y"), work.NoteIn{Task: "demo-1", Text: "twice"})
		k.refused(err, fault.Declined, "was used for another request")
		// Another actor's, and another path's, key is another key.
		_, err = k.s.Work.Note(under(bee, "/notes", "1", "y"), work.NoteIn{Task: "demo-1", Text: "twice"})
		k.must(err)

		next := under(bot, "/next", "1", "x")
		got := k.next(next, work.NextIn{})
		k.done(bot, string(got.Task.ID))
		replay := k.next(next, work.NextIn{})
		is(k, "task", replay.Task.ID, got.Task.ID)
		is(k, "fence", replay.Claimed.Fence, got.Claimed.Fence)
		is(k, "claimed at", replay.Claimed.ClaimedAt.String(), got.Claimed.ClaimedAt.String())
		is(k, "the record, read anew", replay.Task.Status, task.Done)

		move := under(bot, "/transition", "1", "x")
		moved := k.move(move, work.MoveIn{Task: "demo-1", To: "in_review"})
		k.move(bot, work.MoveIn{Task: "demo-1", To: "cancelled"})
		again2 := k.move(move, work.MoveIn{Task: "demo-1", To: "in_review"})
		is(k, "status as it was answered", again2.Task.Status, task.InReview)
		is(k, "version as it was answered", again2.Task.Version, moved.Task.Version)
		is(k, "from", again2.From, moved.From)
		is(k, "body", again2.Task.Body, "text")
		same(k, "deps", again2.Task.Deps, "demo-2")
		is(k, "status", k.task("demo-1").Status, task.Cancelled)
	})
}

func TestARefusalIsNotKeptUnderAnIdempotencyKey(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		ctx := under(bot, "/transition", "1", "x")
		_, err := k.s.Work.Move(ctx, work.MoveIn{Task: "demo-1", To: "done"})
		k.refused(err, fault.Declined)
		_, err = k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 1})
		k.must(err)
		k.done(ctx, "demo-1")
	})
}

func TestAnAppliedPlanIsReplayedThoughItWouldChangeNothingNow(t *testing.T) {
	each(t, func(k *kit) {
		ctx := under(ann, "/apply", "1", "x")
		first, err := k.applyAs(ctx, planned)
		k.must(err)
		again, err := k.applyAs(ctx, planned)
		k.must(err)
		same(k, "created", refsOf(again.Created), refsOf(first.Created)...)
		is(k, "project created", again.ProjectCreated, true)
		doc, err := plan.Decode([]byte(planned))
		k.must(err)
		_, err = k.s.Planning.Apply(under(ann, "/apply", "1", "y"), planning.ApplyIn{Doc: doc})
		k.refused(err, fault.Declined, "was used for another request")
		// What changed nothing is kept too.
		ctx = under(ann, "/apply", "2", "x")
		_, err = k.applyAs(ctx, planned)
		k.must(err)
		k.edit(ann, "demo-1", `{"title": "Z"}`)
		again, err = k.applyAs(ctx, planned)
		k.must(err)
		is(k, "unchanged", len(again.Unchanged), 2)
		is(k, "title", k.task("demo-1").Title, "Z")
	})
}

func TestARefusalThatRecordedSomethingIsKeptUnderItsIdempotencyKey(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		ctx, in := under(bot, "/transition", "1", "x"), work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}}
		_, err := k.s.Work.Move(ctx, in)
		first := k.refused(err, fault.Declined, "criterion 2: two")
		_, err = k.s.Work.Tick(bot, work.TickIn{Task: "demo-1", Index: 2})
		k.must(err)
		_, err = k.s.Work.Move(ctx, in)
		again := k.refused(err, fault.Declined, "criterion 2: two")
		same(k, "recorded", again.Recorded, first.Recorded...)
		is(k, "version", again.Version, first.Version)
		is(k, "hint", again.Hint, first.Hint)
		is(k, "status", k.task("demo-1").Status, task.Open)
	})
}
