package picture_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/picture"
	"tasker/internal/work"
)

// A board by state shows for every waiting task what it waits for first, and who holds that task.
func TestLanesTellReadyFromWaiting(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "done", "title": "Done", "status": "done"}, {"key": "a", "title": "A"}, {"key": "b", "title": "B", "deps": ["done", "a", "c"]},
			{"key": "c", "title": "C"}, {"key": "epic", "title": "Epic"}, {"key": "part", "title": "Part", "parent": "epic"}, {"key": "q", "title": "Q"},
			{"key": "gone", "title": "Gone", "status": "cancelled"}`)
		_, err := k.Work.Claim(coretest.Bot, work.ClaimIn{Task: "demo-2"})
		k.Must(err)
		_, err = k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-7", Text: "Which?", Blocking: true})
		k.Must(err)
		out, err := k.Picture.Lanes(coretest.Ann, picture.LanesIn{Slug: "demo"})
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

// Waiting tasks are shown even if there are more ready tasks than a lane shows.
func TestLanesShowWhatWaitsBehindManyReadyOnes(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}, {"key": "c", "title": "C"}, {"key": "w", "title": "W", "deps": ["a"]}`)
		limit := 2
		out, err := k.Picture.Lanes(coretest.Ann, picture.LanesIn{Slug: "demo", Limit: &limit})
		k.Must(err)
		if ready, waiting := out.Lanes[0], out.Lanes[1]; len(ready.Cards) != 2 || ready.Total != 3 || len(waiting.Cards) != 1 || waiting.Cards[0].WaitsFor == nil ||
			waiting.Cards[0].WaitsFor.Task != task.ID("demo-1") {
			k.Errorf("the lanes are %+v", out.Lanes)
		}
	})
}

// The board of an epic counts the tasks below it at any depth and shows them in the order of the board of all tasks; rows
// have the same cards, grouped by the task that they are part of.
func TestLanesOfAnEpicAndInRows(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "e", "title": "Epic"}, {"key": "alone", "title": "Alone"}, {"key": "story", "title": "Story", "parent": "e"},
			{"key": "deep", "title": "Deep", "parent": "story", "priority": 3}, {"key": "first", "title": "First", "parent": "e", "priority": 0},
			{"key": "later", "title": "Later", "parent": "e", "deps": ["alone"]}, {"key": "closed", "title": "Closed", "status": "done"},
			{"key": "was", "title": "Was", "parent": "closed", "status": "done"}, {"key": "gone", "title": "Gone", "parent": "e", "status": "cancelled"}`)
		limit := 1
		out, err := k.Picture.Lanes(coretest.Ann, picture.LanesIn{Slug: "demo", Epic: "e", Limit: &limit})
		k.Must(err)
		var got []string
		for _, l := range out.Lanes {
			for _, c := range l.Cards {
				got = append(got, fmt.Sprintf("%s %d %s", l.Name, l.Total, c.Key))
			}
		}
		if want := "ready 2 first, waiting 2 story, cancelled 1 gone"; strings.Join(got, ", ") != want {
			k.Errorf("the board of the epic is %v, want %s", got, want)
		}
		if out.Epic == nil || out.Epic.Title != "Epic" || fmt.Sprint(out.Epics) != "[{demo-1 Epic} {demo-3 Story}]" || out.EpicsMore {
			k.Errorf("the epic is %v, and these can be chosen: %v", out.Epic, out.Epics)
		}
		out, err = k.Picture.Lanes(coretest.Ann, picture.LanesIn{Slug: "demo", Group: true})
		k.Must(err)
		got = nil
		for _, r := range out.Rows {
			for _, l := range r.Lanes {
				for _, c := range l.Cards {
					got = append(got, r.Epic.Title+" "+l.Name+" "+c.Key)
				}
			}
		}
		if want := "Epic ready first, Epic waiting story, Epic waiting later, Epic cancelled gone, Story ready deep, " +
			" ready alone,  waiting e,  done closed, Closed done was"; strings.Join(got, ", ") != want {
			k.Errorf("the rows are %q", got)
		}
	})
}

// Waiting tasks are grouped by the root of their longest chain, with how much waits for it in all. D could be helped by who
// takes the free task, and would still wait for the held one.
func TestWaitingTasksAreGroupedByCause(t *testing.T) {
	coretest.Rule(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "held", "title": "Held"}, {"key": "b", "title": "B", "deps": ["held"]}, {"key": "c", "title": "C", "deps": ["b"]},
			{"key": "free", "title": "Free"}, {"key": "d", "title": "D", "deps": ["c", "free"]}, {"key": "epic", "title": "Epic", "deps": ["c"]},
			{"key": "part", "title": "Part", "parent": "epic", "deps": ["d"]}, {"key": "q", "title": "Q"}, {"key": "o", "title": "O"}, {"key": "p", "title": "P", "deps": ["o"]}`)
		k.Claim(coretest.Bot, "demo-1")
		_, err := k.Work.Ask(coretest.Bot, work.AskIn{Task: "demo-8", Text: "Which?", Blocking: true})
		k.Must(err)
		for _, in := range []picture.LanesIn{{Slug: "demo"}, {Slug: "demo", Limit: new(1)}} {
			out, err := k.Picture.Lanes(coretest.Ann, in)
			k.Must(err)
			var got []string
			for _, c := range out.Lanes[1].Causes {
				text := "none:"
				if c.On != nil {
					text = fmt.Sprint(c.On.Task, " ", c.On.Holder, ":")
				}
				for _, card := range c.Cards {
					text += " " + card.Key
					if card.Others > 0 {
						text += fmt.Sprint("+", card.Others)
					}
				}
				got = append(got, fmt.Sprint(text, " of ", c.Holds))
			}
			coretest.Equal(k, "causes", strings.Join(got, "; "), "none: q of 0; demo-1 bot: b c d+1 epic+1 part+1 of 5; demo-9 : p of 1")
			if out.Lanes[1].CausesMore {
				k.Errorf("all of %d waiting tasks were followed, and it says that there are more", out.Lanes[1].Total)
			}
		}
	})
}
