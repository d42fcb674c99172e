package reading_test

import (
	"testing"

	"tasker/internal/core/coretest"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/task"
)

// A board by state says of every waiting task what it waits for first, and who holds that.
func TestLanesTellReadyFromWaiting(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "done", "title": "Done", "status": "done"}, {"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["done", "a", "c"]},
			{"key": "c", "title": "C"}, {"key": "epic", "title": "Epic"}, {"key": "part", "title": "Part", "parent": "epic"}, {"key": "q", "title": "Q"},
			{"key": "gone", "title": "Gone", "status": "cancelled"}`)
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"})
		k.Must(err)
		_, err = k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-7", Text: "Which?", Blocking: true})
		k.Must(err)
		out, err := k.Reading.Lanes(coretest.Ann, reading.BoardIn{Slug: "demo"})
		k.Must(err)
		got, all := map[string]string{}, 0
		for _, l := range out.Lanes {
			all += l.Total
			if l.Total != len(l.Cards) {
				k.Errorf("%s has %d cards of %d", l.Name, len(l.Cards), l.Total)
			}
			for _, c := range l.Cards {
				text := l.Name + " " + c.State
				if c.WaitsFor != nil {
					text += " for " + string(c.WaitsFor.Task) + " " + string(c.WaitsFor.Holder)
				}
				got[c.Key] = text
				if c.Key == "b" && c.Others != 1 {
					k.Errorf("besides the first, b waits for %d", c.Others)
				}
			}
		}
		for key, want := range map[string]string{
			"done": "done done", "a": "in_progress in_progress", "b": "waiting waiting for demo-2 bot", "c": "ready ready", "epic": "waiting waiting for demo-6 ",
			"part": "ready ready", "q": "waiting asked", "gone": "cancelled cancelled",
		} {
			if got[key] != want {
				k.Errorf("%s is %q on the board, want %q", key, got[key], want)
			}
		}
		if all != 8 {
			k.Errorf("the lanes add up to %d of 8 tasks", all)
		}
	})
}

// With more ready tasks than a lane shows, waiting ones are shown all the same.
func TestLanesShowWhatWaitsBehindManyReadyOnes(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}, {"key": "w", "title": "W", "deps": ["a"]}`)
		limit := 2
		out, err := k.Reading.Lanes(coretest.Ann, reading.BoardIn{Slug: "demo", Limit: &limit})
		k.Must(err)
		if ready, waiting := out.Lanes[0], out.Lanes[1]; len(ready.Cards) != 2 || ready.Total != 3 || len(waiting.Cards) != 1 || waiting.Cards[0].WaitsFor == nil ||
			waiting.Cards[0].WaitsFor.Task != task.ID("demo-1") {
			k.Errorf("the lanes are %+v", out.Lanes)
		}
	})
}
