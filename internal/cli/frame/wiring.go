package frame

import (
	"context"
	"errors"
	"io"
	"time"

	"tasker/internal/admin"
	"tasker/internal/bundle"
	"tasker/internal/child/purpose"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/landing"
	"tasker/internal/links"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
	"tasker/internal/workspace"
)

// DBStatus is the answer of db status.
type DBStatus struct {
	Database string `json:"database"` // without a password
	Engine   string `json:"engine"`
	Schema   int    `json:"schemaVersion"`
	Latest   int    `json:"latest"` // the newest schema version that this binary knows
}

// Tooling says how to start a tool server.
type Tooling struct {
	Caller op.Caller
	// Acting adds the actor to a call's context, for a client that gives itself a name.
	Acting  func(ctx context.Context, client string) (context.Context, error)
	Project string                                                // assumed if a call names no project; may be empty
	All     bool                                                  // every operation that has a route
	Passing bool                                                  // nobody will act under this name again, so give back what is held at the end
	Stale   func(b *bundle.Bundle, missing []string) []fault.Text // which evidence of a task is stale; only the work tree can tell
	// Carried returns a move with what only the work tree can tell: see mcp.Options.
	Carried func(ctx context.Context, in work.MoveIn, show func(context.Context, string) (*bundle.Bundle, error)) work.MoveIn
	In      io.Reader
	Out     io.Writer
}

// Repository is the work tree that commands run in.
type Repository interface {
	// State returns the checked-out commit, the tree of all files as they are, and whether the two differ.
	State(ctx context.Context) (commit, tree string, dirty bool, err error)
	// Files is State with the tree of the files that git tracks alone.
	Files(ctx context.Context) (Files, error)
	// Root returns the root of the work tree.
	Root() string
	// From returns a directory of the work tree from its root, with slashes; "." for the root.
	From(dir string) string
	// Roots returns the first commits of the history of the checked-out commit, abbreviated. whole is false where the
	// repository does not have the beginning of its history.
	Roots(ctx context.Context) (roots []string, whole bool, err error)
	// History returns a function that reports whether a tree belongs to a commit in the history of what is checked out or of a
	// branch.
	History(ctx context.Context) (func(tree string) bool, error)
	// Earlier returns the newest committed text of a file for which the function is returns true.
	Earlier(ctx context.Context, file string, is func(text []byte) bool) (text []byte, found bool, err error)
	// Compare returns the tree of all files as they are, and the first files in which it differs from each of the given
	// trees, as far as the repository has them.
	Compare(ctx context.Context, trees []string, limit int) (tree string, differ map[string][]string, err error)
	// Changed returns the first files that were changed since a given time, committed or not.
	Changed(ctx context.Context, since time.Time, limit int) ([]string, error)
	// Tracked reports whether git tracks a file of the work tree.
	Tracked(ctx context.Context, path string) (bool, error)
}

// Serving says how to start a server.
type Serving struct {
	DB      string
	Options config.Options // where to read its configuration, again when the files change
	Host    string
	Port    int
	Open    bool // listen beyond this machine even without a token
	Allowed []string
	Token   string
	Named   Named // on whose behalf requests act; completed from the current configuration
	// Listening is called once, when the server can be reached. With sessions, a request acts as the actor that its
	// session was made for.
	Listening func(address string, who core.Caller, sessions bool)
	Log       io.Writer
	Level     string                      // log level: debug, info (every request), warn (the default), error
	LogFormat string                      // text (the default) or json
	Env       func(string) (string, bool) // for the variables of OpenTelemetry
	Memory    string                      // the memory limit, from TASKER_MEMORY
	Sync      time.Duration               // how often to pull linked projects; 0: never
	Known     string                      // the directory in which it keeps what it remembers of its database; empty: nowhere
}

// Syncing syncs projects with other systems.
type Syncing interface {
	// Pull reads the changes there and merges them; it calls progress with the number of records read so far.
	Pull(ctx context.Context, project string, dryRun bool, progress func(read int)) ([]links.Pulled, error)
	// Import creates tasks for issues that no task is bound to, and binds them.
	Import(ctx context.Context, project string, hold, dryRun bool, progress func(read int)) (planning.ImportOut, error)
	// Push writes the planned changes there.
	Push(ctx context.Context, project string, dryRun bool) (links.Pushed, error)
}

// Wiring is what the rest of the program offers to commands. Each function is called only when a command needs it.
type Wiring struct {
	Version string // of the binary
	Files   config.Files

	// Open opens a database for operations in this process.
	Open func(ctx context.Context, o Opening) (Session, error)
	// Dial returns the client of a server.
	Dial func(Dialling) (Remote, error)
	// Serve runs a server until ctx ends.
	Serve func(ctx context.Context, s Serving) error
	// MCP serves tools until the client disconnects or ctx ends.
	MCP func(ctx context.Context, t Tooling) error
	// NewKey returns a short unique text, which distinguishes two workers of the same name.
	NewKey func() string
	// Exec runs a command to its end. An error means that it did not run.
	Exec func(context.Context, Execution) (Executed, error)
	// Provide returns what the providers of a workspace's environment supply; later ones override earlier ones.
	Provide func(ctx context.Context, c *config.Config, at workspace.At) (workspace.Provided, error)
	// Writes returns the files that the providers of a workspace's environment may write in the workspace.
	Writes func(c *config.Config) ([]string, error)
	// CheckProvider refuses provider settings that Provide would refuse, and warns of keys and options that nothing reads.
	CheckProvider func(config.NamedProvider) (warnings []string, err error)
	// FreePorts returns the first n ports of a range, or fewer, that are not taken and that nothing listens on.
	FreePorts func(ctx context.Context, start, end, n int, taken func(port int) bool) []int
	// StateDir returns a directory on this machine for what commands remember between runs, such as logs.
	StateDir func() string
	// KeptDir returns a directory on this machine for what must not be lost as long as the machine is there; "" if the user
	// has none.
	KeptDir func(name string) string
	// Confirm allows credentials to go to a host from now on, or no longer. It returns the host as stored, and whether
	// this changed anything.
	Confirm func(address string, remove bool) (host string, changed bool, err error)
	// Repository returns the work tree that contains a directory, or nil if there is none.
	Repository func(ctx context.Context, dir string) (Repository, error)
}

// Remote is the client of a server.
type Remote interface {
	op.Caller
	// Follow passes events to send as they arrive, until ctx ends.
	Follow(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error
	// Ready returns the warnings of a server that is ready, and otherwise why it is not.
	Ready(context.Context) (warnings []string, err error)
}

// Opening says which database to open, and with which configuration.
type Opening struct {
	DB     string // a path, or a postgres:// URL
	Shell  string // the agent in whose shell the command runs; else empty
	Loaded *config.Loaded
	Notice func(string) // receives what was done without being asked for: a backup, a migration
	// Changes receives which rules a migration changes.
	Changes func(string)
	// Suspend is called before the first write, and registers pause, which is called when the process is about to be
	// suspended. Nil if it cannot be suspended.
	Suspend func(pause func(suspend func()))
}

// Session is an open database.
type Session struct {
	Caller  op.Caller
	Actors  Actors
	Close   func() error
	Status  func(context.Context) (DBStatus, error)
	Migrate func(context.Context) (from, to int, err error)
	// Examine checks the whole database for problems of the database itself. Lost returns which events are gone if its log
	// was rewound, or nil. Accept goes on without them, or else says that nothing is missing in a copy.
	Examine func(context.Context) ([]Trouble, error)
	Lost    func(context.Context) (*admin.Lost, error)
	Accept  func(context.Context) (admin.AcceptOut, error)
	// Backup writes a snapshot of the database to a file; Restore loads a backup into an empty database; Vacuum frees
	// the space of removed records.
	Backup  func(ctx context.Context, path string) (Backup, error)
	Restore func(ctx context.Context, path string) (Restored, error)
	Vacuum  func(context.Context) error
	// Sync syncs projects of the database with other systems.
	Sync Syncing
	// Workspaces keeps the record of workspaces.
	Workspaces *workspace.Service
	// Landing decides what can land, and records what has.
	Landing *landing.Service
	// Work has what the hooks of agents ask for.
	Work *work.Service
	// Follow passes events to send as they arrive, until ctx ends.
	Follow func(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error
}

// Backup is a backup file.
type Backup struct {
	Path      string `json:"path"` // of the file; for a restore, of the database
	Bytes     int64  `json:"bytes"`
	Sum       string `json:"sha256"` // of the file
	Schema    int    `json:"schemaVersion"`
	LastEvent int64  `json:"lastEvent"`

	Warnings []string `json:"-"` // why the backup cannot be restored as it is
}

// Restored says what was restored.
type Restored struct {
	Backup
	Tasks  int `json:"tasks"`
	Events int `json:"events"`
}

// TroubleWith lists the possible names of a Trouble.
var TroubleWith = []string{"database", "clock", "copy"}

// Trouble is a problem of the database itself, not of its records.
type Trouble struct {
	Name string // the part concerned: the database, the clock, a copy
	Err  *fault.Error
}

// Dialling says which server to talk to, and how.
type Dialling struct {
	URL      string
	Token    string       // the shared token, if any
	Session  string       // a session's credential, if any
	Instance string       // distinguishes two workers of the same name
	Command  bool         // the request comes from a command, not from a worker with an instance
	Agent    string       // the agent in whose shell the command runs, with `;unnamed` appended if nobody says who acts
	Notice   func(string) // receives word of a long wait; may be nil
	// Traceparent and Tracestate say which trace the command belongs to.
	Traceparent, Tracestate string
}

// Execution is a command to run on somebody's behalf.
type Execution struct {
	For    purpose.Purpose // its purpose decides which of our credentials it receives
	Args   []string
	Dir    string
	Env    []string // in addition to our own, or all of it
	Whole  bool     // Env is all of it
	Stdin  io.Reader
	Output io.Writer     // both streams
	Errors io.Writer     // in place of Output, for standard error
	Secret []string      // values to mask in the output, unless it is Attached
	Grace  time.Duration // how long it may take to end when it is stopped; 0: as long as most
	// Attached runs it in the foreground, as a shell does; Terminal says that its streams are a terminal.
	Attached, Terminal bool
}

// ErrNoProgram is the cause of the error of Exec if the program does not exist.
var ErrNoProgram = errors.New("there is no such program")

// Files is what a work tree holds.
type Files struct {
	Commit  string // empty before the first
	Tree    string // of all files that git tracks or would track, as they are
	Tracked string // of those that it tracks
	Dirty   bool   // the tree is not the commit's
}

// Executed says how the command ended.
type Executed struct {
	ExitCode int
	Took     time.Duration
}
