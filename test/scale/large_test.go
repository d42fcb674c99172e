package scale

import (
	"testing"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/testkit/dbtest"
)

// TestAReadOfALargeProjectCostsWhatItAnswers reads two projects that differ in nothing but their size. What a server has
// counted before must not answer, so each read has a server of its own.
func TestAReadOfALargeProjectCostsWhatItAnswers(t *testing.T) {
	person := core.WithCaller(ctx, core.Caller{Actor: task.Actor{Name: "ann", Human: true}})
	dbtest.Each(t, func(t *testing.T, db string) {
		s := open(t, db)
		m := metered(s)
		sizes := map[string]int{"small": 1_000, "large": 30_000}
		for slug, n := range sizes {
			build(t, s, slug, n, shape{})
		}
		analyze(t, db)
		for name, read := range map[string]func(local op.Local, slug string) error{
			"an empty inbox by impact": func(local op.Local, slug string) error {
				_, err := op.Inbox.Do(person, local, inbox.InboxIn{Slug: slug, Sort: waiting.SortImpact})
				return err
			},
		} {
			costs := map[string]cost{}
			for slug := range sizes {
				local := op.NewLocal(services.New(core.Env{Store: m.Store, Settings: &fixed{}}).All()...)
				m.cost = cost{}
				if err := read(local, slug); err != nil {
					t.Fatalf("%s of %s: %v", name, slug, err)
				}
				costs[slug] = m.cost
			}
			t.Logf("%s: %+v", name, costs)
			small, large := costs["small"], costs["large"]
			if large.statements > small.statements || large.rows > small.rows+20 || large.visited > small.visited*11/10+100 {
				t.Errorf("%s costs %+v at %d tasks and %+v at %d", name, small, sizes["small"], large, sizes["large"])
			}
		}
	})
}
