package core_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// TestSinceAndBeforeAnswerWhatAFilterOfTheWholeLogWould asks from every time of a log, which has gaps where a project was
// deleted, and before ids of it, with every combination of filters.
func TestSinceAndBeforeAnswerWhatAFilterOfTheWholeLogWould(t *testing.T) {
	each(t, func(k *kit) {
		k.tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		for i := range 6 {
			for _, slug := range []string{"gone", "other"} {
				k.apply(fmt.Sprintf(`{"project": %q, "tasks": [{"key": "k%d", "title": "T"}]}`, slug, i))
			}
			k.pass(2 * time.Millisecond)
			k.note(bot, "demo-1", "one")
			k.note(bee, "demo-2", "two")
			k.claim(bot, "demo-2")
			k.pass(time.Millisecond)
			_, err := k.s.Work.Release(bot, work.ReleaseIn{Task: "demo-2"})
			k.must(err)
		}
		_, err := k.s.Admin.ProjectDelete(ann, core.ProjectIn{Slug: "gone"})
		k.must(err)
		k.must(k.s.Store.Read(context.Background(), func(tx *core.ReadTx) error {
			all, err := tx.Log.Events(query.Events{SinceID: ptr(int64(0))})
			if err != nil {
				return err
			}
			if int64(len(all)) == tx.Log.LastEvent() || len(all) < 30 {
				k.Fatalf("%d events up to %d: there is no gap", len(all), tx.Log.LastEvent())
			}
			times := []task.Time{1, all[0].At - 1, all[len(all)-1].At + 1}
			ids := []*int64{nil, ptr(int64(1)), ptr(tx.Log.LastEvent() + 1)}
			for i, e := range all {
				times = append(times, e.At, e.At+1)
				if i%17 == 0 {
					ids = append(ids, ptr(e.ID))
				}
			}
			slices.Sort(times)
			for _, at := range append([]task.Time{0}, slices.Compact(times)...) {
				for _, before := range ids {
					for _, q := range []query.Events{
						{}, {Project: "demo"}, {Project: "other"}, {Task: "demo-1"}, {Kind: "note.added"}, {Project: "demo", Kind: "note.added"},
						{Project: "demo", Kind: "task.claimed"}, {By: "bot"}, {Project: "demo", By: "bee"}, {Project: "demo", Kind: "note.added", By: "bot"},
						{Task: "demo-2", Kind: "note.added"}, {Task: "demo-2", By: "bot"}, {Task: "demo-2", By: "bot", Kind: "task.claimed"},
					} {
						for _, limit := range []int{0, 3} {
							q.Since, q.BeforeID, q.Limit = at, before, limit
							got, err := tx.Log.Events(q)
							if err != nil {
								return err
							}
							if want := filtered(all, q); !slices.Equal(idsOf(got), want) {
								k.Fatalf("%+v before %s answers %v, not %v", q, opt(before), idsOf(got), want)
							}
						}
					}
				}
			}
			return nil
		}))
		_, err = k.s.Reading.Events(bot, reading.EventsIn{BeforeID: ptr(int64(0))})
		if err == nil || !strings.Contains(err.Error(), "before_id is 0") {
			k.Errorf("events before 0: %v", err)
		}
	})
}

// filtered is what a query of the log means, event by event.
func filtered(all []task.Event, q query.Events) []int64 {
	var out []int64
	for _, e := range all {
		if (q.Project == "" || string(e.Project) == q.Project) && (q.Task == "" || string(e.Task) == string(q.Task)) &&
			(q.Kind == "" || string(e.Kind) == q.Kind) && (q.By == "" || e.Actor == q.By) && e.At >= q.Since && (q.BeforeID == nil || e.ID < *q.BeforeID) {
			out = append(out, e.ID)
		}
	}
	switch {
	case q.Limit == 0:
		return out
	case q.Since != 0:
		return out[:min(len(out), q.Limit)]
	default:
		return out[max(0, len(out)-q.Limit):]
	}
}

func idsOf(events []task.Event) []int64 {
	var out []int64
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
}

func opt(n *int64) string {
	if n == nil {
		return "nothing"
	}
	return fmt.Sprint(*n)
}
