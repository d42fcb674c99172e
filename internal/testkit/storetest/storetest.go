// Package storetest opens stores for the tests of the store's packages, over either database.
package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Clock is a steppable clock for engines that take one; PostgreSQL has its own.
type Clock struct{ at atomic.Int64 }

// NewClock returns a clock that shows a moment in 2026.
func NewClock() *Clock {
	c := &Clock{}
	c.at.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro())
	return c
}

// Now returns what the clock shows.
func (c *Clock) Now() time.Time { return time.UnixMicro(c.at.Load()).UTC() }

// Step advances the clock.
func (c *Clock) Step(d time.Duration) { c.at.Add(d.Microseconds()) }

// Prepare makes an SQLite file with our tables and nothing in them, if there is none at the path yet. Going through all
// migrations costs more than most tests do afterwards, so files are copies of the first, with its identity.
func Prepare(tb testing.TB, path string) {
	tb.Helper()
	if _, err := os.Stat(path); err == nil || strings.HasPrefix(path, "postgres") {
		return
	}
	content, err := blank()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// blank returns the content of such a file.
var blank = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "tasker-blank-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "blank.db")
	e, err := sqlite.Open(path, db.Setup{Migrations: store.Schema()})
	if err != nil {
		return nil, err
	}
	s := store.NewStore(e)
	err = s.Write(context.Background(), task.By{}, func(*store.Tx) error { return nil })
	if err = errors.Join(err, s.Close()); err != nil { // closing leaves one file
		return nil, err
	}
	return os.ReadFile(path)
})

// Engine opens the engine of a path or a postgres:// URL.
func Engine(tb testing.TB, path string, setup db.Setup) (e db.Engine) {
	tb.Helper()
	var err error
	if strings.HasPrefix(path, "postgres") {
		e, err = postgres.Open(path, setup)
	} else {
		e, err = sqlite.Open(path, setup)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// Open opens a store and closes it at the end of the test. A nil clock is the machine's.
func Open(tb testing.TB, path string, c *Clock) *store.Store {
	tb.Helper()
	setup := db.Setup{Migrations: store.Schema()}
	if c != nil {
		setup.World.Clock = c
	}
	Prepare(tb, path)
	s := store.NewStore(Engine(tb, path, setup))
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// Alice is the writer in the tests.
var Alice = task.By{Actor: task.Actor{Name: "alice", Human: true, Declared: true}, Via: task.Via{Face: "cli"}}

// Write runs fn in a turn, which must succeed.
func Write(tb testing.TB, s *store.Store, by task.By, fn func(*store.Tx) error) {
	tb.Helper()
	if err := s.Write(context.Background(), by, fn); err != nil {
		tb.Fatal(err)
	}
}

// Read runs fn on a snapshot, and fn must succeed.
func Read(tb testing.TB, s *store.Store, fn func(*store.Tx) error) {
	tb.Helper()
	if err := s.Read(context.Background(), fn); err != nil {
		tb.Fatal(err)
	}
}

// Together runs members in one turn, in order, and returns their errors. The store's clock must stand still, or the turn
// may end before the last of them.
func Together(tb testing.TB, s *store.Store, by task.By, members ...func(*store.Tx) error) []error {
	tb.Helper()
	ctx := context.Background()
	began, free := make(chan struct{}), make(chan struct{})
	first := by
	first.Alone = true // a turn of its own, while the others queue
	held := make(chan error, 1)
	go func() {
		held <- s.Write(ctx, first, func(*store.Tx) error { close(began); <-free; return nil })
	}()
	<-began
	answers := make([]chan error, len(members))
	for i, fn := range members {
		answers[i] = make(chan error, 1)
		before := s.DB().Waiting()
		go func() { answers[i] <- s.Write(ctx, by, fn) }()
		for s.DB().Waiting() == before {
			runtime.Gosched()
		}
	}
	close(free)
	if err := <-held; err != nil {
		tb.Fatal(err)
	}
	errs := make([]error, len(members))
	for i, answer := range answers {
		errs[i] = <-answer
	}
	return errs
}

// Fresh returns a new open task.
func Fresh(key string) *task.Task {
	return &task.Task{Key: key, Title: "The task " + key, Status: task.Open, Priority: 2, Version: 1, CreatedBy: "alice"}
}
