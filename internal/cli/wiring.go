package cli

import (
	"context"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

// Wiring is what the rest of the program offers to commands. Each function is called when a command needs it, and
// not before.
type Wiring struct {
	Version string // of the binary
	Files   config.Files

	// Open opens a database for operations in this process.
	Open func(ctx context.Context, o Opening) (Session, error)
	// Dial makes the client of a server.
	Dial func(Dialling) (op.Caller, error)
	// Serve serves until ctx ends.
	Serve func(ctx context.Context, s Serving) error
	// MCP serves tools until the client goes or ctx ends.
	MCP func(ctx context.Context, t Tooling) error
	// NewKey makes a short text that was never there before: what tells two workers of one name apart.
	NewKey func() string
	// Exec runs a command to its end. An error means that it did not run.
	Exec func(context.Context, Execution) (Executed, error)
	// Repository is the work tree that a directory is in, nil where it is in none.
	Repository func(ctx context.Context, dir string) (Repository, error)
}

// Opening says which database to open, and under which configuration.
type Opening struct {
	DB     string // a path, or a postgres:// URL
	Loaded *config.Loaded
	Notice func(string) // told what was done unasked: a backup, a migration
}

// Session is an open database.
type Session struct {
	Caller  op.Caller
	Actors  Actors
	Close   func() error
	Status  func(context.Context) (DBStatus, error)
	Migrate func(context.Context) (from, to int, err error)
	// Follow hands out events as they come, until ctx ends.
	Follow func(ctx context.Context, in core.EventsIn, from int64, send func([]task.Event) error) error
}

// Dialling says which server to talk to, and how.
type Dialling struct {
	URL      string
	Token    string // the shared token, if any
	Session  string // a session's credential, if any
	Instance string // tells two workers of one name apart
}
