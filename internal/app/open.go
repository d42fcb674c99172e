// Package app wires the program: only this package knows the concrete adapters behind the core's interfaces.
package app

import (
	"context"
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tasker/internal/app/services"
	"tasker/internal/config"
	"tasker/internal/config/format"
	"tasker/internal/core"
	"tasker/internal/db"
	"tasker/internal/db/postgres"
	"tasker/internal/db/sqlite"
	"tasker/internal/fault"
	"tasker/internal/notify/dispatch"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/text/words"
)

// Options configures Open.
type Options struct {
	DB      string                // a path, or a postgres:// URL
	Config  func() *config.Loaded // what the files say now; nil: no configuration
	Started *config.Loaded        // what they said when a server started; nil for anything else
	Version string                // of the binary
	Clock   func() time.Time      // nil: the system's
	Meter   db.Meter              // called for every commit; nil: not called
	Notice  func(string)          // called with what was done unasked, such as a backup or a migration; nil: not called
	Changes func(string)          // called with which rules a migration changes; nil: Notice is
	Shell   string                // the agent in whose shell this process runs; else empty
	Memory  string                // the directory where servers keep what they remember of their databases; empty: nowhere
}

// App is the operations over an open database.
type App struct {
	Services *services.Set

	path     string // of the database, or its address
	config   func() *config.Loaded
	now      func() time.Time
	store    *store.Store
	channels *dispatch.Channels // nil if there is no configuration
}

// Open returns the operations over a database. It does not touch the database before the first of them runs.
func Open(o Options) (*App, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	engine, err := engineOf(o.DB, db.Setup{
		Migrations: store.SchemaFor(o.declaresHuman), World: db.World{Clock: db.ClockFunc(o.Clock)}, Notice: o.Notice, Changes: o.Changes, Meter: o.Meter,
		Shell: o.Shell, Memory: o.Memory,
	})
	if err != nil {
		return nil, err
	}
	a := &App{path: o.DB, config: o.Config, now: o.Clock, store: store.NewStore(engine)}
	env := core.Env{
		Store: a.store, Settings: policy.SettingsSince(o.Config, o.Started), Binary: o.Version, Schema: len(store.Schema()), Config: format.Version, Random: rand.Reader,
		Guide: guide(o, a.store.DB().Own), HostURL: os.Getenv("TASKER_CODE_HOST_URL"), TrackerURL: os.Getenv("TASKER_TRACKER_URL"), Names: names,
	}
	if o.Config != nil {
		a.channels = dispatch.NewChannels(o.Config, "tasker/"+Version)
		env.Notifier = a.channels
		a.store.Observe(dispatch.Opening(a.channels))
	}
	a.Services = services.New(env)
	return a, nil
}

// declaresHuman reports whether the file of this process declares a project, and a human in it.
func (o Options) declaresHuman(slug string) bool {
	if o.Config == nil || o.Config().FileProject() != slug {
		return false
	}
	eff, err := o.Config().For(slug, nil)
	return err == nil && eff.DeclaresHuman()
}

// guide reads the guidance of the repository that contains the configuration file, but none of the database's own files; nil
// if no file is read.
func guide(o Options, own func() []fs.FileInfo) *core.Guide {
	if o.Config == nil {
		return nil
	}
	r := &guidanceReader{now: o.Clock, own: own}
	return &core.Guide{Read: r.read, Now: o.Clock, Where: func() (project, root string) {
		if loaded := o.Config(); loaded.File != "" {
			return loaded.FileProject(), filepath.Dir(loaded.File)
		}
		return "", ""
	}}
}

// engineOf opens the engine for a PostgreSQL address or a path. It does not treat any other address as a path, because it
// may contain a password, which would become the name of a directory.
func engineOf(at string, setup db.Setup) (db.Engine, error) {
	if words.Keywords(at) {
		return nil, fault.Bad("TASKER_DB names PostgreSQL by keywords (%s), but must be an address", words.Shown(words.Redacted(at))).
			WithHint("write it as postgres://USER@HOST:PORT/DATABASE?search_path=SCHEMA; the password may be in ~/.pgpass or in PGPASSWORD")
	}
	scheme, rest, address := strings.Cut(at, "://")
	if !address {
		return sqlite.Open(at, setup)
	}
	switch strings.ToLower(scheme) {
	case "postgres", "postgresql":
		return postgres.Open("postgres://"+rest, setup)
	}
	return nil, fault.Bad("tasker does not know databases of the kind %q", words.Shown(scheme)).
		WithHint("TASKER_DB is a path, or an address that begins with postgres://")
}

// Sweep records a bounded number of lapsed leases, and returns how many.
func (a *App) Sweep(ctx context.Context) (int, error) { return a.store.Sweep(ctx) }

// Migrate migrates the database to the schema of this binary.
func (a *App) Migrate(ctx context.Context) (from, to int, err error) {
	return a.store.DB().Migrate(ctx)
}

// Close lets running work finish, and closes the database.
func (a *App) Close() error { return a.store.Close() }
