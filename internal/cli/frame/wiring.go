package frame

import (
	"context"
	"io"
	"time"

	"tasker/internal/bundle"
	"tasker/internal/child/purpose"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/links"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/reading"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// DBStatus is the answer of db status.
type DBStatus struct {
	Database string `json:"database"` // without a password
	Engine   string `json:"engine"`
	Schema   int    `json:"schemaVersion"`
	Latest   int    `json:"latest"` // the newest schema that this binary knows
}

// Tooling is what a tool server is started with.
type Tooling struct {
	Caller  op.Caller
	Acting  func(context.Context) context.Context // completes a call's context by who acts
	Project string                                // to assume where a call names none; may be empty
	All     bool                                  // every operation that has a route
	Passing bool                                  // nobody acts under this name again, so what is held at the end is given back
	Stale   func(*bundle.Bundle) []fault.Text     // which evidence of a task is stale, as only the work tree tells
	In      io.Reader
	Out     io.Writer
}

// Repository is the work tree that commands run in.
type Repository interface {
	// State returns the commit that is checked out, the tree of all files as they are, and whether the two differ.
	State(ctx context.Context) (commit, tree string, dirty bool, err error)
	// History returns a function that reports whether a tree is that of a commit in the history of what is checked out.
	History(ctx context.Context) (func(tree string) bool, error)
	// Earlier returns the newest text of a file, among the commits that changed it, for which is says yes.
	Earlier(ctx context.Context, file string, is func(text []byte) bool) (text []byte, found bool, err error)
	// Changed returns the first files that are not as they are committed, or were changed by a commit since a moment.
	Changed(ctx context.Context, since time.Time, limit int) ([]string, error)
	// Tracked reports whether git tracks a file of the work tree.
	Tracked(ctx context.Context, path string) (bool, error)
}

// Serving is what a server is started with.
type Serving struct {
	DB      string
	Options config.Options // where its configuration is read from, again when the files change
	Host    string
	Port    int
	Open    bool // listen beyond this machine without a token
	Allowed []string
	Token   string
	Named   Named // on whose behalf requests act; completed by the configuration at that moment
	// Listening is called once, when the server can be reached.
	// With sessions, whoever acts is the one that a request's session was made for.
	Listening func(address string, who core.Caller, sessions bool)
	Log       io.Writer
	Level     string                      // of the log: debug, info (every request), warn (the default), error
	LogFormat string                      // text (the default) or json
	Env       func(string) (string, bool) // for the variables of OpenTelemetry
	Memory    string                      // that it may use: TASKER_MEMORY
	Sync      time.Duration               // how often linked projects are pulled; 0: never
}

// Syncing syncs projects with other systems.
type Syncing interface {
	// Pull reads what has changed there and merges it; progress is told how many records were read.
	Pull(ctx context.Context, project string, dryRun bool, progress func(read int)) ([]links.Pulled, error)
	// Import makes tasks of issues that none is bound to, and binds them.
	Import(ctx context.Context, project string, hold, dryRun bool, progress func(read int)) (planning.ImportOut, error)
	// Push writes there what is planned.
	Push(ctx context.Context, project string, dryRun bool) (links.Pushed, error)
}

// Wiring is what the rest of the program offers to commands. Each function is called when a command needs it, and
// not before.
type Wiring struct {
	Version string // of the binary
	Files   config.Files

	// Open opens a database for operations in this process.
	Open func(ctx context.Context, o Opening) (Session, error)
	// Dial returns the client of a server.
	Dial func(Dialling) (op.Caller, error)
	// Serve serves until ctx ends.
	Serve func(ctx context.Context, s Serving) error
	// MCP serves tools until the client goes or ctx ends.
	MCP func(ctx context.Context, t Tooling) error
	// NewKey returns a short text that is never the same twice; it tells two workers of one name apart.
	NewKey func() string
	// Exec runs a command to its end. An error means that it did not run.
	Exec func(context.Context, Execution) (Executed, error)
	// Provide returns what the providers of a workspace's environment give, later ones over earlier ones.
	Provide func(ctx context.Context, c *config.Config, at workspace.At) (workspace.Provided, error)
	// Writes returns the files that the providers of a workspace's environment may write there.
	Writes func(c *config.Config) ([]string, error)
	// CheckProvider refuses the settings of a provider that Provide would refuse, and warns of options that nothing reads.
	CheckProvider func(config.NamedProvider) (warnings []string, err error)
	// FreePorts returns the first n ports of a range that are not taken and that nothing listens on, or fewer.
	FreePorts func(ctx context.Context, start, end, n int, taken func(port int) bool) []int
	// StateDir returns a directory of this machine for what commands remember between runs, such as logs.
	StateDir func() string
	// Confirm has credentials go to a host from now on, or no longer. It returns the host as it is kept, and whether that is a change.
	Confirm func(address string, remove bool) (host string, changed bool, err error)
	// Repository returns the work tree that a directory is in, nil where it is in none.
	Repository func(ctx context.Context, dir string) (Repository, error)
}

// Opening says which database to open, and under which configuration.
type Opening struct {
	DB     string // a path, or a postgres:// URL
	Loaded *config.Loaded
	Notice func(string) // told what was done unasked: a backup, a migration
	// Suspend is called before the first write, and has pause called where the process is to be stopped. Nil: it cannot be.
	Suspend func(pause func(suspend func()))
}

// Session is an open database.
type Session struct {
	Caller  op.Caller
	Actors  Actors
	Close   func() error
	Status  func(context.Context) (DBStatus, error)
	Migrate func(context.Context) (from, to int, err error)
	// Examine looks through the whole database for what is wrong with it as such, and Accept says that nothing is missing in a
	// copy.
	Examine func(context.Context) ([]Trouble, error)
	Accept  func(context.Context) error
	// Backup writes one state of the database to a file; Restore puts a backup in the place of an empty database; Vacuum gives
	// the room of removed records back.
	Backup  func(ctx context.Context, path string) (Backup, error)
	Restore func(ctx context.Context, path string) (Restored, error)
	Vacuum  func(context.Context) error
	// Sync syncs projects of the database with other systems.
	Sync Syncing
	// Workspaces keeps the record of workspaces.
	Workspaces *workspace.Service
	// Follow sends events as they come, until ctx ends.
	Follow func(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error
}

// Backup is a backup file.
type Backup struct {
	Path      string `json:"path"` // of the file; of a restore the database
	Bytes     int64  `json:"bytes"`
	Sum       string `json:"sha256"` // of the file
	Schema    int    `json:"schemaVersion"`
	LastEvent int64  `json:"lastEvent"`
}

// Restored is what was restored.
type Restored struct {
	Backup
	Tasks  int `json:"tasks"`
	Events int `json:"events"`
}

// TroubleWith lists what there can be trouble with: see Trouble.
var TroubleWith = []string{"database", "clock", "copy"}

// Trouble is what is wrong with a database as such.
type Trouble struct {
	Name string // what it is with: the database, the clock, a copy
	Err  *fault.Error
}

// Dialling says which server to talk to, and how.
type Dialling struct {
	URL      string
	Token    string       // the shared token, if any
	Session  string       // a session's credential, if any
	Instance string       // tells two workers of one name apart
	Command  bool         // it is a command that asks, and not a worker with an instance
	Agent    string       // the agent in whose shell the command runs; with `;unnamed` behind it where nobody says who acts
	Notice   func(string) // told of a wait that lasts; nil: nobody is
	// Traceparent and Tracestate tell of which trace the command is a part.
	Traceparent, Tracestate string
}

// Execution is a command that somebody gave us to run.
type Execution struct {
	For    purpose.Purpose // what it is for decides which of our credentials it is given
	Args   []string
	Dir    string
	Env    []string // in addition to our own, or all of it
	Whole  bool     // Env is all of it
	Stdin  io.Reader
	Output io.Writer // both streams
	Errors io.Writer // in place of Output, for standard error
	Secret []string  // values that are masked in what it prints, unless it is Attached
	// Attached runs it in the foreground, as a shell does; Terminal says that its streams are a terminal's.
	Attached, Terminal bool
}

// Executed is how it ended.
type Executed struct {
	ExitCode int
	Took     time.Duration
}
