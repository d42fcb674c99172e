package planning_test

import (
	"context"
	"testing"

	"tasker/internal/app"
	"tasker/internal/app/records"
	"tasker/internal/core"
	"tasker/internal/core/planning"
	"tasker/internal/core/services"
	"tasker/internal/db"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/task"
)

var ctx = core.WithCaller(context.Background(), core.Caller{Actor: task.Actor{Name: "ada"}})

// counting is a store that counts what is read in it.
type counting struct {
	records.Store
	read *reads
}

type reads struct{ rows, statements, visited int64 }

func (c counting) Read(ctx context.Context, fn func(*core.ReadTx) error) error {
	return c.Store.Store.Read(ctx, func(r *store.Reader) error {
		return c.count(r.Conn(), func() error { return fn(records.Read(r)) })
	})
}

func (c counting) Write(ctx context.Context, by task.By, fn func(*core.WriteTx) error) error {
	return c.Store.Store.Write(ctx, by, func(w *store.Writer) error {
		return c.count(w.Conn(), func() error { return fn(records.Write(w)) })
	})
}

func (c counting) count(conn db.Conn, fn func() error) error {
	stats := *conn.Stats()
	began, err := db.Visited(conn)
	if err != nil {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	ended, err := db.Visited(conn)
	c.read.rows += conn.Stats().Rows - stats.Rows
	c.read.statements += conn.Stats().Statements - stats.Statements
	c.read.visited += ended - began
	return err
}

// opened returns the operations over a test's database, and the counter of what they read.
func opened(t *testing.T, path string) (*services.Set, *reads) {
	t.Helper()
	a, err := app.Open(app.Options{DB: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	read := &reads{}
	stored, ok := a.Services.Store.(records.Store)
	if !ok {
		t.Fatalf("the store is a %T", a.Services.Store)
	}
	return services.New(core.Env{Store: counting{stored, read}, Settings: a.Services.Settings}), read
}

func apply(s *services.Set, doc *plan.Document) (planning.ApplyOut, error) {
	return s.Planning.Apply(ctx, planning.ApplyIn{Doc: doc})
}
