package eventlog_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"tasker/internal/task/query"
	"tasker/internal/testkit/storetest"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/eventlog"
	"tasker/internal/store/rows"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
)

var ctx = context.Background()

// keys stands in for the records: projects a (1) and b (2). The caller may see some of them.
type keys struct {
	last    int64
	visible []int64 // nil: all
}

var slugs = map[int64]string{1: "a", 2: "b"}

func (k keys) ProjectKey(slug string) (int64, error) {
	for id, s := range slugs {
		if s == slug && (k.visible == nil || slices.Contains(k.visible, id)) {
			return id, nil
		}
	}
	return 0, fault.Missing("there is no project %q", slug)
}

func (k keys) TaskKey(id task.ID) (string, int64, int64, error) {
	slug, n, _ := task.ParseID(string(id))
	project, err := k.ProjectKey(slug)
	return slug, project, rows.KeyOf(project, n), err
}

func (k keys) Visible() ([]int64, bool, error)  { return k.visible, k.visible == nil, nil }
func (k keys) Slugs() (map[int64]string, error) { return slugs, nil }
func (k keys) LastEvent() int64                 { return k.last }

// each runs a test over a log of both databases: ten events of a-1 by ann, b-1 by bob and ann's instances in turn.
func each(t *testing.T, fn func(t *testing.T, d *db.DB)) {
	dbtest.Each(t, func(t *testing.T, path string) {
		d := db.New(storetest.Engine(t, path, db.Setup{Migrations: store.Schema()}), db.Hooks{})
		t.Cleanup(func() { _ = d.Close() })
		for i := range 10 {
			of, actor := eventlog.Of{Project: 1, Task: rows.KeyOf(1, 1)}, "ann"
			switch i % 3 {
			case 1:
				of, actor = eventlog.Of{Project: 2, Task: rows.KeyOf(2, 1)}, "bob"
			case 2:
				of, actor = eventlog.Of{Project: 2, Task: rows.KeyOf(2, 1)}, "ann/x"
			}
			err := d.Write(ctx, db.Request{}, func(turn *db.Turn) error {
				log := eventlog.NewAppender(turn, actor, task.Via{Face: "cli", Session: "7"})
				_, err := log.Append(of, task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": fmt.Sprint(i)}})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		fn(t, d)
	})
}

func ids(events []task.Event) (out []int64) {
	for _, e := range events {
		out = append(out, e.ID)
	}
	return out
}

func TestEventsAreReadAlongWhatIsAsked(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		three, six := int64(3), int64(6)
		for _, c := range []struct {
			q    query.Events
			see  []int64
			want []int64
		}{
			{query.Events{}, nil, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
			{query.Events{Limit: 2}, nil, []int64{9, 10}},
			{query.Events{SinceID: &three, Limit: 2}, nil, []int64{4, 5}},
			{query.Events{BeforeID: &six, Limit: 2}, nil, []int64{4, 5}},
			{query.Events{Project: "a"}, nil, []int64{1, 4, 7, 10}},
			{query.Events{Task: "b-1", SinceID: &six}, nil, []int64{8, 9}},
			{query.Events{By: "ann"}, nil, []int64{1, 3, 4, 6, 7, 9, 10}},
			{query.Events{By: "ann/x", Limit: 2}, nil, []int64{6, 9}},
			{query.Events{By: "ann", Project: "b", SinceID: &three}, nil, []int64{6, 9}},
			{query.Events{Kind: string(task.NoteAdded), Limit: 1}, nil, []int64{10}},
			{query.Events{Kind: "no.such.kind"}, nil, nil},
			{query.Events{}, []int64{1}, []int64{1, 4, 7, 10}},
			{query.Events{By: "ann"}, []int64{2}, []int64{3, 6, 9}},
			{query.Events{}, []int64{}, nil},
		} {
			err := d.Read(ctx, db.Request{}, func(conn db.Conn, h db.Head) error {
				got, err := eventlog.New(conn, keys{h.LastEvent, c.see}).Events(c.q)
				if !slices.Equal(ids(got), c.want) {
					t.Errorf("%+v seeing %v: %v, want %v", c.q, c.see, ids(got), c.want)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}

func TestAnEventComesBackAsItWasAppended(t *testing.T) {
	each(t, func(t *testing.T, d *db.DB) {
		err := d.Write(ctx, db.Request{}, func(turn *db.Turn) error {
			log := eventlog.NewAppender(turn, "ann", task.Via{Face: "cli", RequestID: "r", Session: "7"})
			for _, as := range []*eventlog.Appender{log.As("tasker", task.Via{Face: "server"}), log} {
				if _, err := as.Append(eventlog.Of{}, task.Draft{Kind: task.ProjectUpdated, Payload: task.Payload{"x": 1}}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = d.Read(ctx, db.Request{}, func(conn db.Conn, h db.Head) error {
			found := map[int64]task.Event{}
			err := eventlog.New(conn, keys{last: h.LastEvent}).EventsByID([]int64{11, 12, 99}, func(ev task.Event) { found[ev.ID] = ev })
			if len(found) != 2 || found[11].Actor != "tasker" || found[12].Actor != "ann" || found[12].Batch != 11 || found[11].Batch != 11 {
				t.Errorf("%+v", found)
			}
			ev := found[12]
			if ev.Via != (task.Via{Face: "cli", RequestID: "r", Session: "7"}) || string(ev.Payload) != `{"x":1}` || ev.Project != "" || ev.Task != "" {
				t.Errorf("%+v", ev)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}
