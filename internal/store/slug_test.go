package store_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

func TestOnlyOneOfSlugsThatDifferInCaseIsAccepted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		// Two processes: each with its own store over one database.
		stores := []*store.Store{storetest.Open(t, path, nil), storetest.Open(t, path, nil)}
		if _, _, err := stores[0].DB().Migrate(context.Background()); err != nil {
			t.Fatal(err)
		}
		var made atomic.Int32
		var wg sync.WaitGroup
		for i, slug := range []string{"IS.a", "is.a", "Is.a", "iS.A", "IS.A", "is.A"} {
			wg.Go(func() {
				err := stores[i%2].Write(context.Background(), storetest.Alice, func(w *store.Tx) error {
					return w.CreateProject(&task.Project{Slug: slug})
				})
				switch {
				case err == nil:
					made.Add(1)
				case !fault.Is(err, fault.Declined):
					t.Errorf("%s: %v", slug, err)
				}
			})
		}
		wg.Wait()
		if made.Load() != 1 {
			t.Errorf("%d projects were made", made.Load())
		}
	})
}

func TestTheDatabaseItselfRefusesASlugThatDiffersInCaseAlone(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, path string) {
		s := storetest.Open(t, path, nil)
		err := s.Write(context.Background(), storetest.Alice, func(w *store.Tx) error {
			if err := w.CreateProject(&task.Project{Slug: "Island"}); err != nil {
				return err
			}
			if err := w.CreateProject(&task.Project{Slug: "other"}); err != nil {
				return err
			}
			return w.C.Exec(1, `UPDATE project SET slug='ISLAND' WHERE slug='other'`)
		})
		if err == nil {
			t.Error("two slugs that differ only in case are stored")
		}
	})
}
