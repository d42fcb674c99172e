package app

import (
	"context"
	"crypto/rand"

	"tasker/internal/cli/frame"
	"tasker/internal/client"
	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/notify/dispatch"
	"tasker/internal/op"
	"tasker/internal/store"
	"tasker/internal/text/words"
	"tasker/internal/workspace/ports"
)

// Version is the binary's semver; a release is stamped by the build.
var Version = "0.3.0"

// CommandLine returns what the rest of the program offers to commands.
func CommandLine() frame.Wiring {
	w := frame.Wiring{
		Version: Version, Open: openForCommand, Dial: dial, Serve: serve, MCP: serveTools, NewKey: newKey, Exec: execute, Repository: repository,
		Provide: provide, Writes: ProviderWrites, CheckProvider: CheckProvider, FreePorts: ports.Free, StateDir: stateDir, KeptDir: kept, Confirm: confirm,
	}
	if o, err := config.FromOS(); err == nil { // otherwise the working directory is gone, and commands report it
		w.Files = o.Files
	}
	return w
}

// openForCommand opens a database for one command.
func openForCommand(_ context.Context, o frame.Opening) (frame.Session, error) {
	a, err := Open(Options{DB: o.DB, Shell: o.Shell, Config: func() *config.Loaded { return o.Loaded }, Version: Version, Notice: o.Notice, Changes: o.Changes, Memory: known()})
	if err != nil {
		return frame.Session{}, err
	}
	if db := a.store.DB(); o.Suspend != nil {
		db.BeforeWriting(func() { o.Suspend(db.Pause) })
	}
	deliveries := dispatch.NewCommand(a.Services.Notify, a.channels)
	a.store.Observe(deliveries.Observe)
	return frame.Session{
		Caller: op.NewLocal(a.Services.All()...), Sync: syncing{a.syncer(), a}, Workspaces: a.Services.Workspaces, Landing: a.Services.Landing, Work: a.Services.Work, Actors: a.Services.Settings,
		Close: func() error {
			deliveries.Close()
			return a.Close()
		},
		Follow: feed{a.Services.Reading}.Follow, Migrate: a.Migrate,
		Backup: a.Backup, Restore: a.Restore, Vacuum: a.store.DB().Vacuum,
		Examine: a.examine, Lost: a.lost, Accept: a.accept,
		Status: func(ctx context.Context) (frame.DBStatus, error) {
			have, err := a.Services.Store.Version(ctx)
			return frame.DBStatus{Database: words.Redacted(o.DB), Engine: engineName(o.DB), Schema: have, Latest: len(store.Schema())}, err
		},
	}, nil
}

// examine checks the whole database once.
func (a *App) examine(ctx context.Context) ([]frame.Trouble, error) {
	found, err := a.store.DB().Examine(ctx)
	out := make([]frame.Trouble, len(found))
	for i, t := range found {
		out[i] = frame.Trouble{Name: t.Name, Err: fault.Of(t.Err)}
	}
	return out, err
}

func engineName(db string) string { return words.Either(words.Address(db), "PostgreSQL", "SQLite") }

func dial(d frame.Dialling) (frame.Remote, error) {
	return client.New(client.Options{
		URL: d.URL, Token: d.Token, Session: d.Session, Instance: d.Instance, Agent: d.Agent, Command: d.Command,
		Traceparent: d.Traceparent, Tracestate: d.Tracestate,
		Version: Version, NewKey: rand.Text, Notice: d.Notice,
	})
}
