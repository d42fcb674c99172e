package work_test

import (
	"context"
	"testing"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// inSession returns the context of an agent in a session of its own.
func inSession(ctx context.Context, id, process string) context.Context {
	c := core.CallerOf(ctx)
	c.Session = task.AgentSession{Session: task.Digest("session", id), Process: task.Digest("process", process)}
	return core.WithCaller(ctx, c)
}

// TestASessionHasInHandWhatWasClaimedInIt: three sessions of one agent hold a task each, one of them by its tools alone. The
// end of one gives back nothing of the others.
func TestASessionHasInHandWhatWasClaimedInIt(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}, {"key": "d", "title": "D"}`)
		first, second, third := inSession(coretest.Bot, "1", ""), inSession(coretest.Bot, "2", ""), inSession(coretest.Bot, "", "77 1")
		tools := core.CallerOf(first)
		tools.Actor.Instance = "mcp-x"
		k.Claim(core.WithCaller(context.Background(), tools), "demo-1")
		k.Claim(second, "demo-2")
		k.Claim(third, "demo-3")
		k.Claim(coretest.Bot, "demo-4") // nothing tells in which session
		inHand := func(ctx context.Context) (ids []string) {
			held, err := k.Work.InHand(ctx)
			k.Must(err)
			for _, h := range held {
				coretest.Equal(k, "the last write of its holder", h.Wrote, h.Claimed)
				ids = append(ids, string(h.Task.ID))
			}
			return ids
		}
		coretest.EqualSlices(k, "in hand of the first", inHand(first), "demo-1")
		coretest.EqualSlices(k, "in hand of the second", inHand(second), "demo-2")
		coretest.EqualSlices(k, "in hand of the third", inHand(third), "demo-3")
		coretest.EqualSlices(k, "in hand of no session", inHand(coretest.Bot))
		coretest.EqualSlices(k, "in hand of another agent", inHand(inSession(coretest.Bee, "1", "")))

		k.Must(k.Work.Leave(first, "gone"))
		coretest.EqualSlices(k, "in hand after the end", inHand(first))
		coretest.Equal(k, "status", k.Show("demo-1").Task.Status, task.Open)
		coretest.Equal(k, "attempts", k.Show("demo-1").Task.Attempts, 0)
		coretest.Equal(k, "the note", k.Show("demo-1").Notes[0].Text, "gone")
		coretest.EqualSlices(k, "in hand of the second", inHand(second), "demo-2")
		k.Claim(second, "demo-1") // a claim of another session replaces that of the first
		coretest.EqualSlices(k, "in hand of the first", inHand(first))
		_, err := k.Work.Note(second, work.NoteIn{Task: "demo-2", Text: "on it"})
		k.Must(err)
		held, err := k.Work.InHand(second)
		k.Must(err)
		if len(held) != 2 || held[1].Wrote == held[1].Claimed {
			k.Errorf("the note is no write of the holder: %+v", held)
		}
		k.Healthy()
	})
}
