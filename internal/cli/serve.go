package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/task"
)

// Serving is what a server is started with.
type Serving struct {
	DB      string
	Options config.Options // where its configuration comes from, to be read again when the files change
	Host    string
	Port    int
	Open    bool // listen beyond this machine without a token
	Allowed []string
	Token   string
	Named   Named // on whose behalf requests act, with what the configuration says at that moment
	// Listening is called once, when the server can be reached.
	// With sessions, whoever acts is the one that a request's session was made for.
	Listening func(address string, who core.Caller, sessions bool)
	Log       io.Writer
	Level     string // of the log: debug, info (every request), warn (the default), error
}

func (f *factory) newServe() *cobra.Command {
	var s Serving
	cmd := f.command(spec{
		use: "serve --port N", short: "Serve the HTTP API", args: between(0, 0),
		example: []string{
			"tasker serve --port 7777",
			"TASKER_ACTOR=claude tasker serve --port 7777",
			"TASKER_TOKEN=… tasker serve --port 7777 --host 0.0.0.0 --allowed-host tasker.example.org",
		},
		long: "Every request acts as the server's own identity. It listens on this machine alone, unless --host says otherwise.\nWith TASKER_TOKEN set, every write needs it. Where the configuration says auth.mode session, every request needs a\nsession instead, and acts as the actor that it was made for. It stops on SIGINT or SIGTERM, after the requests under way.",
	}, func(ctx context.Context, f *factory, _ []string) error { return f.serve(ctx, s) })
	fs := cmd.Flags()
	fs.IntVar(&s.Port, "port", 7777, "the port; 0 is any that is free (default 7777)")
	fs.StringVar(&s.Host, "host", "", "the address or name to listen on (default: this machine alone)")
	fs.BoolVar(&s.Open, "open", false, "listen beyond this machine although neither a token nor a session is asked for")
	fs.StringArrayVar(&s.Allowed, "allowed-host", nil, "a further name by which clients may call this server (can be given again)")
	return cmd
}

func (f *factory) serve(ctx context.Context, s Serving) error {
	if err := f.onlyHere("serve"); err != nil {
		return err
	}
	if _, err := f.configuration(); err != nil { // its notices, and its faults before anything listens
		return err
	}
	ctx, stop := f.p.Stop(ctx)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	s.DB, s.Options, s.Token = f.database(), f.options(), f.env("TASKER_TOKEN")
	s.Named, s.Log, s.Level = f.named(), f.err, f.env("TASKER_LOG")
	s.Listening = func(address string, who core.Caller, sessions bool) { f.listening(s, address, who, sessions) }
	return f.w.Serve(ctx, s)
}

// listening says where the server is and as whom it acts.
func (f *factory) listening(s Serving, address string, who core.Caller, sessions bool) {
	kind := "agent"
	if who.Actor.Human {
		kind = "human"
	}
	name, how := who.Actor.Full(), who.How
	if sessions { // a request without one is nobody's
		name, kind, how = "", "", "the session of each request"
	}
	if f.flags.json {
		_ = f.answer(struct {
			URL   string   `json:"url"`
			Actor task.Opt `json:"actor"`
			Kind  task.Opt `json:"kind"`
			How   string   `json:"how"`
		}{"http://" + address, task.Opt(name), task.Opt(kind), how}, nil)
		return
	}
	f.out.Printf("Listening on http://%s\n", address)
	if sessions {
		f.out.Printf("Acting as whom each session was made for; make one with: tasker session create --actor NAME\n")
		return
	}
	f.out.Printf("Acting as %s, %s, by %s\n", name, kind, how)
	switch {
	case who.Actor.Human && s.Token == "":
		f.warn([]string{"whoever reaches this port acts as " + name + ", a human: approvals and overrides too; set TASKER_TOKEN, serve as an agent with TASKER_ACTOR, or ask for sessions with auth.mode"})
	case who.Actor.Human:
		f.warn([]string{"whoever has the token acts as " + name + ", a human: approvals and overrides too; an agent that has it is that human"})
	}
	f.say("Try: tasker ready --server http://%s\n", address)
}
