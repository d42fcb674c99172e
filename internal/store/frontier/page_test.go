package frontier_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

// TestAWalkOverSeveralRoutesIsTheSameInEveryFormAndPastItsLimit compares walks that merge keys first with one that
// reads whole tasks along the way, with and without preferences.
func TestAWalkOverSeveralRoutesIsTheSameInEveryFormAndPastItsLimit(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		for _, slug := range []string{"plain", "prefers"} {
			storetest.Write(t, s, storetest.Alice, func(w *store.Tx) error {
				if err := w.CreateProject(&task.Project{Slug: slug}); err != nil {
					return err
				}
				tasks := make([]task.NewTask, 70)
				for i := range tasks {
					one := &task.Task{
						Title: fmt.Sprint(i), Status: task.Open, Priority: i % 2, Version: 1, Body: task.Opt(fmt.Sprint("body ", i)),
						Autonomy: []task.Opt{"", "supervised", "human_only"}[i%3], Criteria: []task.Criterion{{Index: 1, Text: "a"}, {Index: 2, Text: `"b"`, Checked: i%4 == 0}},
					}
					if slug == "prefers" {
						one.PreferredActor = []task.Opt{"", "alice", "bob", ""}[i%4]
					}
					tasks[i] = task.NewTask{Task: one, Event: task.Draft{Kind: task.TaskCreated}}
				}
				return w.CreateTasks(slug, tasks)
			})
			storetest.Read(t, s, func(r *store.Tx) error {
				walk := func(form query.Form, limit int) (out []*task.Task) {
					q := query.Frontier{Project: slug, Actor: storetest.Alice.Actor, Lane: query.LaneReady, Form: form, Limit: limit}
					if err := r.Walk(q, func(t *task.Task) bool { out = append(out, t); return true }); err != nil {
						t.Fatal(err)
					}
					if err := r.Fill(out...); err != nil {
						t.Fatal(err)
					}
					return out
				}
				want := walk(query.Whole, 0)
				if len(want) != 70 {
					t.Fatalf("%d tasks are ready", len(want))
				}
				for _, limit := range []int{1, 3, 50, 70, 1000} {
					if diff := cmp.Diff(want, walk(query.Whole, limit)); diff != "" {
						t.Errorf("%s, for %d (-want +got):\n%s", slug, limit, diff)
					}
					if diff := cmp.Diff(want, walk(query.Ready, limit), shown); diff != "" {
						t.Errorf("%s, as ready ones, for %d (-want +got):\n%s", slug, limit, diff)
					}
				}
				return nil
			})
		}
	})
}

// shown compares what a record shows.
var shown = cmp.Transformer("shown", func(t *task.Task) task.Task {
	return task.Task{
		ID: t.ID, Project: t.Project, Key: t.Key, Title: t.Title, Body: t.Body, Status: t.Status, Priority: t.Priority, Autonomy: t.Autonomy,
		PreferredActor: t.PreferredActor, Criteria: t.Criteria, Deps: t.Deps, Version: t.Version, CreatedBy: t.CreatedBy,
		CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
})
