package admin

import (
	"context"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// serveOptions holds the options of `tasker serve`.
type serveOptions struct {
	frame.Serving

	check bool
	given func(flag string) bool
}

// NewServe returns the command `tasker serve`.
func NewServe(f *frame.Factory) *cobra.Command {
	o := &serveOptions{Serving: frame.Serving{Port: 7777}}
	cmd := f.Command(frame.Spec{
		Use: "serve --port N", Here: "serve", Short: "Serve the HTTP API", Args: frame.Between(0, 0),
		Example: []string{
			"tasker serve --port 7777",
			"TASKER_ACTOR=claude tasker serve --port 7777",
			"tasker serve --port 7777 --sync 5m",
			"TASKER_TOKEN=… tasker serve --port 7777 --host 0.0.0.0 --allowed-host tasker.example.org",
		},
		Long: "Every request acts as the server's own identity. It listens only on this machine, unless --host says otherwise.\n" +
			"With TASKER_TOKEN set, every write needs it. If the configuration says auth.mode session, every request needs a\n" +
			"session instead, and acts as the actor that the session was made for. It stops on SIGINT or SIGTERM, after the requests\n" +
			"in progress. TASKER_SERVE_PORT and TASKER_SERVE_HOST stand for --port and --host, TASKER_LOG and TASKER_LOG_FORMAT say\n" +
			"what is logged.",
		Flags: []frame.Flag{
			frame.Int(&o.Port, "port", "the port; 0 is any that is free (default 7777)"),
			frame.String(&o.Host, "host", "the address or name to listen on (default: 127.0.0.1 and ::1, only this machine)"),
			frame.Bool(&o.Open, "open", "listen beyond this machine even if neither a token nor a session is required"),
			frame.Bool(&o.check, "check", "ask the server on that port whether it is ready, and exit: for health checks"),
			frame.Repeated(&o.Allowed, "allowed-host", "a further name by which clients may call this server (can be given again)"),
			frame.Duration(&o.Sync, "sync", "pull linked projects this often, such as 5m; what would be written is logged and not sent (default: never)"),
		},
	}, o.run)
	o.given = cmd.Flags().Changed
	return cmd
}

func (o *serveOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := o.fill(f); err != nil {
		return err
	}
	if o.check {
		return o.ask(ctx, f)
	}
	if _, err := f.Configuration(); err != nil { // print its notices and faults before listening
		return err
	}
	f.TellNotices(ctx)
	if token, set := f.Process.Env("TASKER_TOKEN"); set && token == "" {
		f.Warn([]string{"TASKER_TOKEN is set and empty, which counts as unset: writes need no token"})
	}
	ctx, stop := f.Stop(ctx)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	s := o.Serving
	s.DB, s.Options, s.Token = f.Database(), f.ConfigOptions(), f.Env("TASKER_TOKEN")
	s.Named, s.Log, s.Level, s.Memory = f.Named(), f.Err, f.Env("TASKER_LOG"), f.Env("TASKER_MEMORY")
	s.Named.Serves = true
	s.LogFormat, s.Env = f.Env("TASKER_LOG_FORMAT"), f.Process.Env
	s.Listening = func(address string, who core.Caller, sessions bool) { listening(f, s, address, who, sessions) }
	return f.Wiring.Serve(ctx, s)
}

// fill takes the listening address from the environment unless the command line gives it. TASKER_PORT is the port of a
// workspace and has nothing to do with the server.
func (o *serveOptions) fill(f *frame.Factory) error {
	if host := f.Env("TASKER_SERVE_HOST"); host != "" && !o.given("host") {
		o.Host = host
	}
	port := f.Env("TASKER_SERVE_PORT")
	if port == "" || o.given("port") {
		return nil
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 0 || n > 65535 {
		return fault.Bad("TASKER_SERVE_PORT is %q, which is not a port", port).WithHint("a number from 0 (any that is free) to 65535")
	}
	o.Port = n
	return nil
}

// ask checks whether the server at that address is ready. Warnings do not count as failure.
func (o *serveOptions) ask(ctx context.Context, f *frame.Factory) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	server, err := f.Wiring.Dial(frame.Dialling{URL: "http://" + net.JoinHostPort(reached(o.Host), strconv.Itoa(o.Port))})
	if err != nil {
		return err
	}
	warnings, err := server.Ready(ctx)
	f.Warn(warnings)
	return err
}

// askTime is how long a server may take to report that it is ready.
const askTime = 5 * time.Second

// reached returns the name by which this machine reaches a server that listens on a host.
func reached(host string) string {
	host = strings.Trim(host, "[]")
	switch ip := net.ParseIP(host); {
	case host == "" || ip != nil && ip.IsUnspecified() && ip.To4() != nil:
		return "127.0.0.1"
	case ip != nil && ip.IsUnspecified():
		return "::1"
	}
	return host
}

// listening prints the server's address and the actor it acts as.
func listening(f *frame.Factory, s frame.Serving, address string, who core.Caller, sessions bool) {
	kind := words.Either(who.Actor.Human, "human", "agent")
	name, how := who.Actor.Full(), who.How
	if sessions { // a request without a session has no actor
		name, kind, how = "", "", "the session of each request"
	}
	if f.Flags.JSON {
		_ = f.Answer(struct {
			URL   string   `json:"url"`
			Actor task.Opt `json:"actor"`
			Kind  task.Opt `json:"kind"`
			How   string   `json:"how"`
		}{"http://" + address, task.Opt(name), task.Opt(kind), how}, nil)
		return
	}
	f.Out.Printf("Listening on http://%s\nThe web view is there, too: open it in a browser\n", address)
	if sessions {
		f.Out.Printf("Acting as the actor that each session was made for; create one with: %s\n", f.AsCommand(hint.NewSession()))
		return
	}
	f.Out.Printf("Acting as %s, %s, by %s\n", name, kind, how)
	if who.Via.Agent != "" && who.Actor.Human {
		f.Warn([]string{"this is the shell of " + string(who.Via.Agent) + ", an agent, and the server acts as " + name +
			", a human, all the same; via.agent of its events says so"})
	}
	switch {
	case who.Actor.Human && s.Token == "":
		f.Warn([]string{"anybody who reaches this port acts as " + name + ", a human: approvals and overrides too; " +
			"set TASKER_TOKEN, serve as an agent with TASKER_ACTOR, or ask for sessions with auth.mode"})
	case who.Actor.Human:
		f.Warn([]string{"anybody who has the token acts as " + name + ", a human: approvals and overrides too; an agent that has it is that human"})
	}
	f.Say("Try: %s\n", hint.Command("ready --server http://"+address))
}
