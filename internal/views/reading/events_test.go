package reading_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

func TestEventsPageByIdAndFilter(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		k.Claim(coretest.Bot, "demo-1")
		k.Apply(`{"project": "other", "tasks": [{"key": "a", "title": "A"}]}`)
		var seen []int64
		from := int64(0)
		for {
			page, err := k.Reading.Events(coretest.Ann, reading.EventsIn{SinceID: &from, Limit: new(2)})
			k.Must(err)
			for _, e := range page {
				seen = append(seen, e.ID)
				from = e.ID
			}
			if len(page) == 0 {
				break
			}
		}
		for i, n := range seen {
			coretest.Equal(k, "id", n, int64(i+1))
		}
		coretest.Equal(k, "events", len(seen), 8)
		count := func(in reading.EventsIn) int {
			k.Helper()
			all, err := k.Reading.Events(coretest.Ann, in)
			k.Must(err)
			return len(all)
		}
		coretest.Equal(k, "of demo", count(reading.EventsIn{Project: "demo"}), 5)
		coretest.Equal(k, "of a task", count(reading.EventsIn{Task: "demo-1"}), 2)
		coretest.Equal(k, "of a key", count(reading.EventsIn{Task: "a", Project: "other"}), 1)
		coretest.Equal(k, "of a kind", count(reading.EventsIn{Kind: "task.created"}), 3)
		coretest.Equal(k, "by bot", count(reading.EventsIn{By: "bot"}), 1)
		newest, err := k.Reading.Events(coretest.Ann, reading.EventsIn{Limit: new(1)})
		k.Must(err)
		coretest.Equal(k, "newest", newest[0].Kind, task.PlanApplied)
		coretest.Equal(k, "face", newest[0].Via.Face, "cli")
		coretest.Equal(k, "since, which is inclusive", count(reading.EventsIn{Since: newest[0].At.String()}) > 0, true)
		for _, in := range []reading.EventsIn{{Since: "yesterday"}, {Since: "2026-01"}, {SinceID: new(int64(-1))}, {Kind: "task.eaten"}, {Limit: new(0)}} {
			_, err := k.Reading.Events(coretest.Ann, in)
			k.Refused(err, fault.Invalid)
		}
		_, err = k.Reading.Events(coretest.Ann, reading.EventsIn{Project: "nothing"})
		k.Refused(err, fault.NotFound)
	})
}

// TestSinceAndBeforeAnswerWhatAFilterOfTheWholeLogWould queries from every time of a log with gaps, because a project was
// deleted, and before some of its ids, with every combination of filters.
func TestSinceAndBeforeAnswerWhatAFilterOfTheWholeLogWould(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B"}`)
		for i := range 6 {
			for _, slug := range []string{"gone", "other"} {
				k.Apply(fmt.Sprintf(`{"project": %q, "tasks": [{"key": "k%d", "title": "T"}]}`, slug, i))
			}
			k.Pass(2 * time.Millisecond)
			k.Note(coretest.Bot, "demo-1", "one")
			k.Note(coretest.Bee, "demo-2", "two")
			k.Claim(coretest.Bot, "demo-2")
			k.Pass(time.Millisecond)
			_, err := k.Work.Release(coretest.Bot, work.ReleaseIn{Task: "demo-2"})
			k.Must(err)
		}
		_, err := k.Admin.ProjectDelete(coretest.Ann, core.ProjectIn{Slug: "gone"})
		k.Must(err)
		k.Must(k.Store.Read(context.Background(), func(tx *store.Tx) error {
			all, err := tx.Events(query.Events{SinceID: new(int64(0))})
			if err != nil {
				return err
			}
			if int64(len(all)) == tx.LastEvent() || len(all) < 30 {
				k.Fatalf("%d events up to %d: there is no gap", len(all), tx.LastEvent())
			}
			times := []task.Time{1, all[0].At - 1, all[len(all)-1].At + 1}
			ids := []*int64{nil, new(int64(1)), new(tx.LastEvent() + 1)}
			for i, e := range all {
				times = append(times, e.At, e.At+1)
				if i%17 == 0 {
					ids = append(ids, new(e.ID))
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
							got, err := tx.Events(q)
							if err != nil {
								return err
							}
							if want := filtered(all, q); !slices.Equal(idsOf(got), want) {
								k.Fatalf("%+v before %s answers %v, want %v", q, opt(before), idsOf(got), want)
							}
						}
					}
				}
			}
			return nil
		}))
		_, err = k.Reading.Events(coretest.Bot, reading.EventsIn{BeforeID: new(int64(0))})
		if err == nil || !strings.Contains(err.Error(), "before_id is 0") {
			k.Errorf("events before 0: %v", err)
		}
	})
}

// filtered returns what a query of the log should find, checking event by event.
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
