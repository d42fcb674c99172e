package store_test

import (
	"fmt"
	"strings"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// TestAPageReadsNoMoreThanItShowsHoweverRareItsTasksAre counts the rows that a page of each kind visits when it asks
// for a few of very many tasks, and checks the database's plan: each page is read by an index.
func TestAPageReadsNoMoreThanItShowsHoweverRareItsTasksAre(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			return w.CreateProject(&task.Project{Slug: "big"}, task.Draft{Kind: task.ProjectCreated})
		})
		const many = 6000
		// The last tasks of the project are in review, waiting, cancelled, in progress and held; all others are ready.
		list := make([]task.NewTask, many)
		for i := range list {
			list[i] = task.NewTask{Task: storetest.Fresh(""), Event: task.Draft{Kind: task.TaskCreated}}
			switch many - i {
			case 1, 2:
				list[i].Task.Status = task.InReview
			case 3:
				list[i].NewDeps = []int{0}
			case 4:
				list[i].Task.Status = task.Cancelled
			case 5:
				list[i].Task.Status = task.InProgress
			}
		}
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error { return w.CreateTasks("big", list) })
		storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
			if strings.HasPrefix(path, "postgres") {
				if err := w.Conn().Exec(db.Any, `ANALYZE task`); err != nil {
					return err
				}
			}
			before, err := w.Task(task.MakeID("big", many-5))
			if err != nil {
				return err
			}
			after, _, err := before.ClaimBy(task.Actor{Name: "bee", Instance: "2"}, task.Policy{}, nil, nil, w.Now())
			if err != nil {
				return err
			}
			return w.Save(task.Change{Before: before, After: after, Events: []task.Draft{{Kind: task.TaskClaimed}}})
		})
		most := int64(60) // rows
		if !strings.HasPrefix(path, "postgres") {
			most = many / 2 // steps of SQLite's machine; skipping a row takes several
		}
		yes, no, state := true, false, func(s task.State) *task.State { return &s }
		for name, c := range map[string]struct {
			q    query.List
			want int
		}{
			"in review":           {query.List{Among: query.Of(task.InReview)}, 2},
			"cancelled":           {query.List{Among: query.Of(task.Cancelled)}, 1},
			"in progress":         {query.List{Among: query.Of(task.InProgress)}, 2},
			"waiting":             {query.List{State: state(task.StateWaiting)}, 1},
			"blocked":             {query.List{Blocked: &yes}, 1},
			"held":                {query.List{State: state(task.StateHeld)}, 1},
			"unheld":              {query.List{State: state(task.StateUnheld)}, 1},
			"asked":               {query.List{State: state(task.StateAsked)}, 0},
			"done":                {query.List{Among: query.Of(task.Done)}, 0},
			"not ready":           {query.List{Ready: &no}, 6},
			"open and not ready":  {query.List{Among: query.Of(task.Open), Ready: &no}, 1},
			"contradiction":       {query.List{Among: query.Of(task.Done), Ready: &yes}, 0},
			"held by":             {query.List{HeldBy: "bee"}, 1},
			"held by an instance": {query.List{HeldBy: "bee/2"}, 1},
			"in review with text": {query.List{Among: query.Of(task.InReview), Text: "big"}, 2},
		} {
			q := c.q
			q.Project, q.Limit = "big", 50
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				if _, _, _, err := w.List(q); err != nil { // prepare the statements
					return err
				}
				start, err := w.Conn().Visited()
				if err != nil {
					return err
				}
				page, total, _, err := w.List(q)
				if err != nil {
					return err
				}
				end, err := w.Conn().Visited()
				if len(page) != c.want || total.N != c.want {
					t.Errorf("%s: %d of %d, want %d", name, len(page), total.N, c.want)
				}
				if visited := end - start; visited > most {
					t.Errorf("a page of %s visits %d rows of %d tasks", name, visited, many)
				}
				return err
			})
		}
		page := query.List{Project: "big", Limit: 2, State: state(task.StateReady)}
		storetest.Read(t, s, func(r *store.Tx) error {
			got, total, next, err := r.List(page)
			if fmt.Sprint(len(got), total.N, next) != fmt.Sprint(2, many-6, "2") {
				t.Errorf("the first page of what is ready has %d of %d, and goes on at %s", len(got), total.N, next)
			}
			return err
		})
	})
}
