package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// sizes returns the lengths of texts: mostly short, some longer than a page of limit bytes.
func sizes(r *rand.Rand, n, limit int) []int {
	out := make([]int, n)
	for i := range out {
		switch r.IntN(10) {
		case 0:
			out[i] = limit + r.IntN(limit)
		case 1, 2, 3:
			out[i] = r.IntN(limit / 2)
		default:
			out[i] = r.IntN(200)
		}
	}
	return out
}

// TestPagesCutByBytesAddUpToTheList pages through tasks of random sizes with random limits of records and bytes.
// Together, the pages are the whole list, with whole tasks in order and none twice, and no page of several tasks is
// larger than asked for.
func TestPagesCutByBytesAddUpToTheList(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(1, 2))
		s := storetest.Open(t, path, nil)
		const n, limit = 260, 8 << 10
		list := make([]task.NewTask, n)
		for i, size := range sizes(r, n, limit) {
			list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
			list[i].Task.Title = fmt.Sprintf("task %d", i+1)
			switch i % 3 {
			case 0:
				list[i].Task.Body = task.Opt(strings.Repeat("b", size))
			case 1:
				list[i].Task.Criteria = []task.Criterion{{Index: 1, Text: strings.Repeat("c", size+1)}}
			case 2:
				list[i].NewDeps = []int{i - 1, i - 2}
			}
		}
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			if err := w.CreateProject(&task.Project{Slug: "demo"}); err != nil {
				return err
			}
			return w.CreateTasks("demo", list)
		})
		storetest.Read(t, s, func(rd *store.Tx) error {
			for range 12 {
				q := query.List{Project: "demo", Limit: 1 + r.IntN(300), Bytes: limit/4 + r.IntN(4*limit)}
				if r.IntN(2) == 0 {
					q.Text = "task"
				}
				var all []*task.Task
				for pages := 0; pages == 0 || q.Cursor != ""; pages++ {
					page, total, next, err := rd.List(q)
					if err != nil {
						return err
					}
					size := 0
					for _, x := range page {
						size += query.TaskBytes(x)
					}
					if len(page) == 0 || len(page) > q.Limit || len(page) > 1 && size > q.Bytes || total.N != n {
						t.Fatalf("%+v: a page of %d tasks and %d bytes, of %d", q, len(page), size, total.N)
					}
					all, q.Cursor = append(all, page...), next
				}
				if len(all) != n {
					t.Fatalf("%+v: the pages have %d tasks of %d", q, len(all), n)
				}
				for i, x := range all {
					want := list[i].Task
					if x.ID != want.ID || x.Body != want.Body || !slices.Equal(x.Deps, want.Deps) || len(x.Criteria) != len(want.Criteria) {
						t.Fatalf("%+v: task %d is %s, with a body of %d bytes for %d and deps %v for %v", q, i+1, x.ID, len(x.Body), len(want.Body), x.Deps, want.Deps)
					}
				}
			}
			return nil
		})
	})
}

// TestPagesOfTheLogCutByBytesAddUpToIt pages through events of random sizes, forward and back, along every index.
func TestPagesOfTheLogCutByBytesAddUpToIt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(3, 4))
		s := storetest.Open(t, path, nil)
		const limit = 8 << 10
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			if err := w.CreateProject(&task.Project{Slug: "demo"}); err != nil {
				return err
			}
			if err := w.CreateTasks("demo", []task.NewTask{{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}}); err != nil {
				return err
			}
			for _, size := range sizes(r, 300, limit) {
				if err := w.Record("demo", "demo-1", task.Draft{Kind: task.NoteAdded, Payload: task.Payload{"text": strings.Repeat("n", size)}}); err != nil {
					return err
				}
			}
			return nil
		})
		storetest.Read(t, s, func(rd *store.Tx) error {
			for _, of := range []query.Events{
				{}, {Project: "demo"}, {Task: "demo-1"}, {Project: "demo", Kind: string(task.NoteAdded)}, {By: storetest.Alice.Actor.Full()},
				{Project: "demo", By: storetest.Alice.Actor.Full(), Kind: string(task.NoteAdded)},
			} {
				from, to := int64(0), rd.LastEvent()+1
				of.SinceID = &from
				want, err := rd.Events(of)
				if err != nil {
					return err
				}
				for _, back := range []bool{false, true} {
					q := of
					q.Limit, q.Bytes = 1+r.IntN(250), limit/4+r.IntN(4*limit)
					from, to := from, to
					if back {
						q.SinceID, q.BeforeID = nil, &to
					} else {
						q.SinceID = &from
					}
					var got []task.Event
					for {
						page, err := rd.Events(q)
						if err != nil {
							return err
						}
						if len(page) == 0 {
							break
						}
						size := 0
						for i := range page {
							size += query.EventBytes(&page[i])
						}
						if len(page) > q.Limit || len(page) > 1 && size > q.Bytes {
							t.Fatalf("%+v: a page of %d events and %d bytes", q, len(page), size)
						}
						if back {
							got, to = append(page, got...), page[0].ID
						} else {
							got, from = append(got, page...), page[len(page)-1].ID
						}
					}
					if !slices.EqualFunc(got, want, func(a, b task.Event) bool { return a.ID == b.ID && string(a.Payload) == string(b.Payload) }) {
						t.Fatalf("%+v, back %t: the pages have %d events of %d", q, back, len(got), len(want))
					}
				}
			}
			return nil
		})
	})
}
