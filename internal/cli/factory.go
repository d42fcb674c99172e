package cli

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

// globals are the flags of every command.
type globals struct {
	project string
	actor   string
	json    bool
	db      string
	server  string
	config  string
	color   *choice
	quiet   bool
}

// factory makes what commands need when they need it: the configuration, the database or the server's client are
// opened by the first that asks, and only then.
type factory struct {
	p     Process
	w     Wiring
	flags globals
	out   *Terminal
	err   *Terminal

	stale *staleness // of evidence that was run, once it is asked for

	// instance is added to an identity that has none, where the command is a worker of its own.
	instance string
	// worksAs is the command, where what it does is an agent's work whoever started it.
	worksAs string

	loaded  *config.Loaded
	session *Session // an open database
	remote  op.Caller
	who     *core.Caller // on whose behalf, once it is decided
}

func newFactory(p Process, w Wiring) *factory {
	f := &factory{p: p, w: w}
	f.flags.color = oneOf("auto", []string{"auto", "always", "never"})
	f.out = newTerminal(p.Stdout, p.OutTTY)
	f.err = newTerminal(p.Stderr, p.ErrTTY)
	return f
}

// begin settles how output looks, once the flags are read.
func (f *factory) begin() {
	if f.p.OutTTY && f.p.Width != nil {
		f.out.setWidth(f.p.Width())
	}
	f.out.setColor(f.colored(f.p.OutTTY))
	f.err.setColor(f.colored(f.p.ErrTTY))
}

func (f *factory) colored(tty bool) bool {
	switch f.flags.color.value {
	case "always":
		return true
	case "never":
		return false
	}
	return tty && f.env("NO_COLOR") == "" && f.env("TERM") != "dumb"
}

// close ends what was opened.
func (f *factory) close() error {
	if f.session == nil || f.session.Close == nil {
		return nil
	}
	return f.session.Close()
}

// env gives a variable; set to nothing it counts as unset.
func (f *factory) env(name string) string {
	v, _ := f.p.Env(name)
	return v
}

func (f *factory) now() time.Time { return f.p.Now() }

func (f *factory) stdin() ([]byte, error) {
	src, err := io.ReadAll(f.p.Stdin)
	if err != nil {
		return nil, fault.New(fault.Internal, "standard input cannot be read: %v", err).WithCause(err)
	}
	return src, nil
}

// options is what the configuration is read from.
func (f *factory) options() config.Options {
	o := config.Options{Dir: f.p.Dir, Env: f.env, Files: f.w.Files, File: f.flags.config, Now: f.p.Now}
	if f.flags.project != "" {
		o.Flags = append(o.Flags, config.Flag{Name: "--project", Key: "project", Value: f.flags.project})
	}
	return o
}

// configuration reads the layers, once, and prints their notices.
func (f *factory) configuration() (*config.Loaded, error) {
	if f.loaded != nil {
		return f.loaded, nil
	}
	if f.w.Files == nil || f.p.Dir == "" {
		return nil, fault.Bad("the working directory is gone").WithHint("go to another one")
	}
	loaded, err := config.Load(f.options())
	if err != nil {
		return nil, err
	}
	f.loaded = loaded
	for _, text := range loaded.Notices {
		f.notice(text)
	}
	return loaded, nil
}

// notice tells of something that was done unasked; never beside JSON.
func (f *factory) notice(text string) {
	if !f.flags.json && !f.flags.quiet {
		f.err.Printf("%s\n", text)
	}
}

// serverURL is the server that commands go through, "" for none.
func (f *factory) serverURL() string {
	if f.flags.server != "" {
		return f.flags.server
	}
	return f.env("TASKER_URL")
}

// caller gives what carries out operations, and the context that says on whose behalf.
func (f *factory) caller(ctx context.Context) (context.Context, op.Caller, error) {
	if f.serverURL() != "" {
		c, err := f.dial(ctx)
		return ctx, c, err
	}
	s, err := f.open(ctx)
	if err != nil {
		return ctx, nil, err
	}
	who, err := f.identity(s.Actors)
	if err != nil {
		return ctx, nil, err
	}
	return core.WithCaller(ctx, who), s.Caller, nil
}

// open opens the database, once.
func (f *factory) open(ctx context.Context) (*Session, error) {
	if f.session != nil {
		return f.session, nil
	}
	loaded, err := f.configuration()
	if err != nil {
		return nil, err
	}
	s, err := f.w.Open(ctx, Opening{DB: f.database(), Loaded: loaded, Notice: f.notice})
	if err != nil {
		return nil, err
	}
	f.session = &s
	return f.session, nil
}

// dial makes the client of the server, once. A request never names its actor: where the command names one, it must
// be the server's.
func (f *factory) dial(ctx context.Context) (op.Caller, error) {
	if f.remote != nil {
		return f.remote, nil
	}
	named, how := f.namedActor()
	name, instance, _ := strings.Cut(named, "/")
	instance = cmp.Or(instance, f.instance)
	c, err := f.w.Dial(Dialling{
		URL: f.serverURL(), Token: f.env("TASKER_TOKEN"), Session: f.env("TASKER_SESSION"), Instance: instance,
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

// checkActor refuses a server that acts as somebody else than the command names, and where it names nobody and is an
// agent's, one that acts as a human: else an agent in a person's shell would approve in the person's name. A session is
// one's own choice of whom to act as.
func (f *factory) checkActor(ctx context.Context, c op.Caller, name, how string) error {
	n := f.named()
	if name == "" && (n.Agent == "" && n.Worker == "" || f.env("TASKER_SESSION") != "") {
		return nil
	}
	me, err := op.Whoami.Do(ctx, c, core.WhoamiIn{})
	if err != nil {
		return err
	}
	if name != "" && me.Actor != name {
		return fault.Decline("%s says %s, and the server at %s acts as %s: no request names its actor", how, name, f.serverURL(), me.Actor).
			WithHint("leave %s out, or use a server that acts as %s", how, name)
	}
	if agent, sign := n.insteadOf(task.Actor{Name: me.Actor, Human: me.Kind == "human", Declared: true}); agent != "" {
		return fault.Decline("this is no person (%s), and the server at %s acts as %s, a human", sign, f.serverURL(), me.Actor).
			WithHint("use a server that acts as an agent, or a session that was made for one (TASKER_SESSION); if you mean %s, say so: TASKER_ACTOR=%s", me.Actor, me.Actor)
	}
	return nil
}

// project is the project to assume: -p, TASKER_PROJECT, the configuration; "" where none says.
func (f *factory) project() (string, error) {
	loaded, err := f.configuration()
	if err != nil {
		return "", err
	}
	return loaded.Project(), nil
}

// oneProject is project, or else the only one there is; the refusal lists them.
func (f *factory) oneProject(ctx context.Context) (string, error) {
	slug, err := f.project()
	if err != nil || slug != "" {
		return slug, err
	}
	all, err := call(ctx, f, op.Projects, core.None{})
	if err != nil {
		return "", err
	}
	return onlyProject(all)
}

func onlyProject(all []*task.Project) (string, error) {
	switch len(all) {
	case 0:
		return "", fault.Missing("there is no project yet").
			WithHint("apply a plan: tasker apply --example > plan.json && tasker apply -f plan.json")
	case 1:
		return all[0].Slug, nil
	}
	e := fault.Bad("say which project: there are %d", len(all)).WithHint("name it with -p, TASKER_PROJECT or project in .tasker.json")
	for _, p := range all[:min(len(all), 50)] {
		e.Missing = append(e.Missing, p.Slug)
	}
	return "", e
}
