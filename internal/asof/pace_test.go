package asof_test

import (
	"fmt"
	"testing"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/testkit/coretest"
	"tasker/internal/work"
)

// TestWhatRemains: a forecast needs every open task, when it was created, and since when somebody works on it.
func TestWhatRemains(t *testing.T) {
	coretest.Each(t, func(k *coretest.Kit) {
		k.Tasks(`{"key": "a", "title": "A"}, {"key": "b", "title": "B", "gate": "ship"}, {"key": "c", "title": "C"}, {"key": "d", "title": "D"}, {"key": "e", "title": "E"}`)
		k.Claim(coretest.Bot, "demo-1")
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-3", To: "in_review"})
		k.Done(coretest.Ann, "demo-4")
		k.Move(coretest.Ann, work.MoveIn{Task: "demo-5", To: "cancelled"})
		k.Must(k.Store.Read(k.Context(), func(tx *store.Tx) error {
			got, err := tx.Remaining("demo", 10)
			k.Must(err)
			var want []query.Remaining
			for _, id := range []string{"demo-1", "demo-2", "demo-3"} {
				one, err := tx.Task(task.ID(id))
				k.Must(err)
				r := query.Remaining{Task: one.ID, Gate: string(one.Gate), Created: one.CreatedAt}
				switch {
				case one.Claim != nil:
					r.Began = one.Claim.ClaimedAt
				case one.Status != task.Open:
					r.Began = one.UpdatedAt
				}
				want = append(want, r)
			}
			coretest.Equal(k, "what remains", fmt.Sprint(got), fmt.Sprint(want))
			got, err = tx.Remaining("demo", 2)
			coretest.Equal(k, "the first two", fmt.Sprint(got), fmt.Sprint(want[:2]))
			return err
		}))
	})
}
