package store_test

import (
	"fmt"
	"slices"
	"testing"

	"tasker/internal/task/query"
	"tasker/internal/testkit/storetest"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
)

// withLog runs a test over a log of both databases: after the events that create projects a and b, ten notes of a-1 by
// ann, and of b-1 by bob and ann's instance in turn. They are the events 5 to 14.
func withLog(t *testing.T, fn func(t *testing.T, s *store.Store)) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		for _, slug := range []string{"a", "b"} {
			storetest.Write(t, s, storetest.Alice, func(tx *store.Tx) error {
				if err := tx.CreateProject(&task.Project{Slug: slug}, task.Draft{Kind: task.ProjectCreated}); err != nil {
					return err
				}
				return tx.CreateTasks(slug, []task.NewTask{{Task: storetest.Fresh("one"), Event: task.Draft{Kind: task.TaskCreated}}})
			})
		}
		for i := range 10 {
			slug, actor := "a", task.Actor{Name: "ann"}
			switch i % 3 {
			case 1:
				slug, actor = "b", task.Actor{Name: "bob"}
			case 2:
				slug, actor = "b", task.Actor{Name: "ann", Instance: "x"}
			}
			by := task.By{Actor: actor, Via: task.Via{Face: "cli", Session: "7"}}
			storetest.Write(t, s, by, func(tx *store.Tx) error {
				return tx.Record(slug, task.MakeID(slug, 1), task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": fmt.Sprint(i)}})
			})
		}
		fn(t, s)
	})
}

func ids(events []task.Event) (out []int64) {
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
}

func TestEventsAreReadAlongWhatIsAsked(t *testing.T) {
	withLog(t, func(t *testing.T, s *store.Store) {
		four, seven, ten := int64(4), int64(7), int64(10)
		for _, c := range []struct {
			q    query.Events
			see  []string
			want []int64
		}{
			{query.Events{SinceID: &four}, nil, []int64{5, 6, 7, 8, 9, 10, 11, 12, 13, 14}},
			{query.Events{Limit: 2}, nil, []int64{13, 14}},
			{query.Events{SinceID: &seven, Limit: 2}, nil, []int64{8, 9}},
			{query.Events{BeforeID: &ten, Limit: 2}, nil, []int64{8, 9}},
			{query.Events{Project: "a"}, nil, []int64{1, 2, 5, 8, 11, 14}},
			{query.Events{Task: "b-1", SinceID: &ten}, nil, []int64{12, 13}},
			{query.Events{By: "ann"}, nil, []int64{5, 7, 8, 10, 11, 13, 14}},
			{query.Events{By: "ann/x", Limit: 2}, nil, []int64{10, 13}},
			{query.Events{By: "ann", Project: "b", SinceID: &seven}, nil, []int64{10, 13}},
			{query.Events{Kind: string(task.NoteAdded), Limit: 1}, nil, []int64{14}},
			{query.Events{Kind: "no.such.kind"}, nil, nil},
			{query.Events{}, []string{"a"}, []int64{1, 2, 5, 8, 11, 14}},
			{query.Events{By: "ann"}, []string{"b"}, []int64{7, 10, 13}},
			{query.Events{}, []string{"gone"}, nil},
		} {
			storetest.Read(t, s, func(tx *store.Tx) error {
				tx.Within(c.see)
				got, err := tx.Events(c.q)
				if !slices.Equal(ids(got), c.want) {
					t.Errorf("%+v seeing %v: %v, want %v", c.q, c.see, ids(got), c.want)
				}
				return err
			})
		}
	})
}

func TestAnEventComesBackAsItWasAppended(t *testing.T) {
	withLog(t, func(t *testing.T, s *store.Store) {
		via := task.Via{Face: "cli", RequestID: "r", Session: "7"}
		storetest.Write(t, s, task.By{Actor: task.Actor{Name: "ann"}, Via: via}, func(tx *store.Tx) error {
			draft := task.Draft{Kind: task.ProjectUpdated, Payload: task.Payload{"x": 1}}
			return tx.Record("", "", draft, draft)
		})
		storetest.Read(t, s, func(tx *store.Tx) error {
			found := map[int64]task.Event{}
			err := tx.EventsByID([]int64{15, 16, 99}, func(ev task.Event) { found[ev.ID] = ev })
			if len(found) != 2 || found[15].Batch != 15 || found[16].Batch != 15 {
				t.Errorf("%+v", found)
			}
			ev := found[16]
			if ev.Actor != "ann" || ev.Via != via || string(ev.Payload) != `{"x":1}` || ev.Project != "" || ev.Task != "" {
				t.Errorf("%+v", ev)
			}
			return err
		})
	})
}
