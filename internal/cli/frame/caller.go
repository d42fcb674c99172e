package frame

import (
	"cmp"
	"context"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// Follow passes every event after from to send as it arrives, until ctx ends or send returns an error.
func (f *Factory) Follow(ctx context.Context, in reading.EventsIn, from int64, send func([]task.Event) error) error {
	ctx, _, err := f.Caller(ctx)
	if err != nil {
		return err
	}
	if f.session != nil {
		return f.session.Follow(ctx, in, from, send)
	}
	return f.remote.Follow(ctx, in, from, send)
}

// ServerURL returns the server that commands use, or "" for none.
func (f *Factory) ServerURL() string {
	return cmp.Or(f.Flags.Server, f.Env("TASKER_URL"))
}

// Caller returns what carries out operations, and a context that says on whose behalf.
func (f *Factory) Caller(ctx context.Context) (context.Context, op.Caller, error) {
	if f.ServerURL() != "" {
		c, err := f.Dial(ctx)
		return ctx, c, err
	}
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return ctx, nil, err
	}
	return ctx, s.Caller, nil
}

// Acting returns the local database, for work that does not go through a server, and a context that says on whose
// behalf.
func (f *Factory) Acting(ctx context.Context) (context.Context, *Session, error) {
	s, err := f.Open(ctx)
	if err != nil {
		return ctx, nil, err
	}
	who, err := f.Identity(s.Actors)
	return core.WithCaller(ctx, who), s, err
}

// Open returns the database. The first call opens it.
func (f *Factory) Open(ctx context.Context) (*Session, error) {
	if f.session != nil {
		return f.session, nil
	}
	loaded, err := f.Configuration()
	if err != nil {
		return nil, err
	}
	shell, _ := agentIn(f.Env)
	s, err := f.Wiring.Open(ctx, Opening{DB: f.Database(), Shell: shell, Loaded: loaded, Notice: f.Notice, Changes: f.printChanges, Suspend: f.Process.Suspend})
	if err != nil {
		return nil, err
	}
	f.session = &s
	f.printKept()
	f.TellNotices(ctx)
	return f.session, nil
}

// Dial returns the client of the server. A request never names its actor, so if the command names one it must be the
// server's.
func (f *Factory) Dial(ctx context.Context) (Remote, error) {
	if f.remote != nil {
		return f.remote, nil
	}
	named, how := f.NamedActor()
	name, instance, _ := strings.Cut(named, "/")
	instance = cmp.Or(instance, f.Instance)
	c, err := f.Wiring.Dial(Dialling{
		Notice: f.Notice,
		URL:    f.ServerURL(), Token: f.Env("TASKER_TOKEN"), Session: f.Env("TASKER_SESSION"), Instance: instance, Agent: f.shell(),
		Command: instance == "", Traceparent: f.Env("TRACEPARENT"), Tracestate: f.Env("TRACESTATE"),
	})
	if err != nil {
		return nil, err
	}
	if err := f.checkActor(ctx, c, name, how); err != nil {
		return nil, err
	}
	f.remote = c
	return c, nil
}

// shell describes the shell of this command to the server, so that the same rules apply as for a command that opens the
// database itself. It is empty with a session, because a session already names its actor.
func (f *Factory) shell() string {
	return f.Named().Agent + words.When(f.UnnamedIn() != "", ";unnamed")
}

// UnnamedIn returns the agent in whose shell the command acts without a name of its own, through a server; else "".
func (f *Factory) UnnamedIn() string {
	if n := f.Named(); n.Actor == "" && f.Env("TASKER_SESSION") == "" {
		return n.Agent
	}
	return ""
}

// checkActor refuses a server that acts as somebody other than the actor that the command names. If the command names
// nobody and does an agent's work, it also refuses a server that acts as a human. A session is exempt: it already names
// its actor.
func (f *Factory) checkActor(ctx context.Context, c op.Caller, name, how string) error {
	n := f.Named()
	if name == "" && (n.Worker == "" || f.Env("TASKER_SESSION") != "") {
		return nil
	}
	me, err := op.Whoami.Do(ctx, c, reading.WhoamiIn{})
	if err != nil {
		return err
	}
	if name != "" && me.Actor != name {
		return fault.Decline("%s says %s, and the server at %s acts as %s: no request names its actor", how, name, f.ServerURL(), me.Actor).
			WithHint("leave %s out, or use a server that acts as %s", how, name)
	}
	if name == "" && me.Kind == "human" {
		return fault.Decline("this is not a person (%s, which is an agent's work), and the server at %s acts as %s, a human",
			n.Worker, f.ServerURL(), me.Actor).
			WithHint("use a server that acts as an agent, or a session that was made for one (TASKER_SESSION)")
	}
	return nil
}
