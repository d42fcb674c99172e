package reading_test

import (
	"context"
	"testing"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
)

func TestFollowHandsOutEveryEventAsItComes(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		from, err := k.Reading.Newest(coretest.Ann, core.None{})
		k.Must(err)
		ctx, cancel := context.WithCancel(coretest.Ann)
		got := make(chan task.Event, 10)
		done := make(chan error, 1)
		go func() {
			var ended error
			in := reading.FollowIn{EventsIn: reading.EventsIn{Task: "demo-2"}, From: from}
			for page, err := range k.Reading.Follow(ctx, in) {
				ended = err
				for _, e := range page {
					got <- e
				}
			}
			done <- ended
		}()
		k.Claim(coretest.Bot, "demo-1")
		k.Claim(coretest.Bot, "demo-2")
		coretest.Equal(k, "first", (<-got).Kind, task.TaskClaimed)
		k.Done(coretest.Bot, "demo-1")
		k.Done(coretest.Bot, "demo-2")
		e := <-got
		coretest.Equal(k, "second", e.Kind, task.TaskMoved)
		coretest.Equal(k, "its task", e.Task, "demo-2")
		cancel()
		if err := <-done; err == nil {
			k.Error("the stream ended without an error")
		}
		coretest.Equal(k, "left", len(got), 0)
	})
}
