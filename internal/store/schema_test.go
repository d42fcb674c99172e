package store_test

import (
	"context"
	"testing"

	"tasker/internal/db"
	"tasker/internal/store"
	"tasker/internal/testkit/dbtest"
	"tasker/internal/testkit/storetest"
)

func TestTheSchemaCanBeMadeOnBothDatabases(t *testing.T) {
	dbtest.EachEmpty(t, func(t *testing.T, path string) {
		s := store.NewStore(storetest.Engine(t, path, db.Setup{Migrations: store.Schema()})) // nothing is there yet
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		ctx := context.Background()
		from, to, err := s.DB().Migrate(ctx)
		if err != nil || from != 0 || to != len(store.Schema()) {
			t.Errorf("from %d to %d: %v", from, to, err)
		}
		if v, err := s.Version(ctx); err != nil || v != to {
			t.Errorf("version %d: %v", v, err)
		}
	})
}
