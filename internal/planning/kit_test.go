package planning_test

import (
	"context"
	"testing"

	"tasker/internal/app/services"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/plan"
	"tasker/internal/planning"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/testkit/coretest"
)

var ctx = core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: "ada"}})

// reads counts what is read from a store.
type reads struct{ rows, statements, visited int64 }

func (r *reads) observe(context.Context, bool) store.Observed { return store.Observed{During: r.count} }

func (r *reads) count(conn db.Conn, fn func() error) error {
	stats := *conn.Stats()
	began, err := conn.Visited()
	if err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	ended, err := conn.Visited()
	r.rows += conn.Stats().Rows - stats.Rows
	r.statements += conn.Stats().Statements - stats.Statements
	r.visited += ended - began
	return err
}

// opened returns the operations over a test's database, and the counter of their reads.
func opened(t *testing.T, path string) (*services.Set, *reads) {
	t.Helper()
	s, err := coretest.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	read := &reads{}
	s.Store.Observe(read.observe)
	return s, read
}

func apply(s *services.Set, doc *plan.Document) (planning.ApplyOut, error) {
	return s.Planning.Apply(ctx, planning.ApplyIn{Doc: doc})
}
