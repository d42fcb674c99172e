package core_test

import (
	"testing"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

func TestAnIdempotencyKeyAnswersWhatItAnsweredBefore(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "body": "text", "deps": ["b"]}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}`)
		note := coretest.WithKey(coretest.Bot, "/notes", "1", "x")
		first, err := k.Work.Note(note, work.NoteIn{Task: "demo-1", Text: "once"})
		k.Must(err)
		again, err := k.Work.Note(note, work.NoteIn{Task: "demo-1", Text: "once"})
		k.Must(err)
		coretest.Equal(k, "id", again.ID, first.ID)
		coretest.Equal(k, "notes", len(k.Show("demo-1").Notes), 1)
		_, err = k.Work.Note(coretest.WithKey(coretest.Bot, "/notes", "1", "y"), work.NoteIn{Task: "demo-1", Text: "twice"})
		k.Refused(err, fault.Declined, "was used for another request")
		// Another actor's, and another path's, key is another key.
		_, err = k.Work.Note(coretest.WithKey(coretest.Bee, "/notes", "1", "y"), work.NoteIn{Task: "demo-1", Text: "twice"})
		k.Must(err)

		next := coretest.WithKey(coretest.Bot, "/next", "1", "x")
		got := k.Next(next, work.NextIn{})
		k.Done(coretest.Bot, string(got.Task.ID))
		replay := k.Next(next, work.NextIn{})
		coretest.Equal(k, "task", replay.Task.ID, got.Task.ID)
		coretest.Equal(k, "fence", replay.Claimed.Fence, got.Claimed.Fence)
		coretest.Equal(k, "claimed at", replay.Claimed.ClaimedAt.String(), got.Claimed.ClaimedAt.String())
		coretest.Equal(k, "the record, read again", replay.Task.Status, task.Done)

		move := coretest.WithKey(coretest.Bot, "/transition", "1", "x")
		moved := k.Move(move, work.MoveIn{Task: "demo-1", To: "in_review"})
		k.Move(coretest.Bot, work.MoveIn{Task: "demo-1", To: "cancelled"})
		again2 := k.Move(move, work.MoveIn{Task: "demo-1", To: "in_review"})
		coretest.Equal(k, "status as it was answered", again2.Task.Status, task.InReview)
		coretest.Equal(k, "version as it was answered", again2.Task.Version, moved.Task.Version)
		coretest.Equal(k, "from", again2.From, moved.From)
		coretest.Equal(k, "body", again2.Task.Body, "text")
		coretest.EqualSlices(k, "deps", again2.Task.Deps, "demo-2")
		coretest.Equal(k, "status", k.Task("demo-1").Status, task.Cancelled)
	})
}

func TestARefusalIsNotStoredUnderAnIdempotencyKey(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one"]}`)
		ctx := coretest.WithKey(coretest.Bot, "/transition", "1", "x")
		_, err := k.Work.Move(ctx, work.MoveIn{Task: "demo-1", To: "done"})
		k.Refused(err, fault.Declined)
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 1})
		k.Must(err)
		k.Done(ctx, "demo-1")
	})
}

func TestARefusalThatRecordedSomethingIsStoredUnderItsIdempotencyKey(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A", "criteria": ["one", "two"]}`)
		ctx, in := coretest.WithKey(coretest.Bot, "/transition", "1", "x"), work.MoveIn{Task: "demo-1", To: "done", Check: []int{1}}
		_, err := k.Work.Move(ctx, in)
		first := k.Refused(err, fault.Declined, "criterion 2: two")
		_, err = k.Work.Tick(coretest.Bot, work.TickIn{Task: "demo-1", Index: 2})
		k.Must(err)
		_, err = k.Work.Move(ctx, in)
		again := k.Refused(err, fault.Declined, "criterion 2: two")
		coretest.EqualSlices(k, "recorded", again.Recorded, first.Recorded...)
		coretest.Equal(k, "version", again.Version, first.Version)
		coretest.Equal(k, "hint", again.Hint, first.Hint)
		coretest.Equal(k, "status", k.Task("demo-1").Status, task.Open)
	})
}
