package agent

import (
	"context"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	workspacecli "tasker/internal/cli/workspace"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// mcpOptions holds the options of `tasker mcp`.
type mcpOptions struct {
	tools, entry string
}

// NewMCP returns the command `tasker mcp`.
func NewMCP(f *frame.Factory) *cobra.Command {
	o := &mcpOptions{tools: "loop"}
	return f.Command(frame.Spec{
		Use: "mcp", Short: "Serve the operations as tools to an agent, over standard input and output", Args: frame.Between(0, 0),
		Example: []string{
			"tasker mcp                     # an agent starts it: tasker setup writes the entry",
			"tasker mcp --for claude --tools all",
		},
		Long: "It speaks the Model Context Protocol, and prints nothing else on standard output. Each start is its own\n" +
			"instance of its actor, so that two agents under one name never share a task. What it still holds when the agent goes\n" +
			"is given back; under a name with an instance (claude/3) it is kept, for next to resume. It sends the fence of what it\n" +
			"holds by itself. Who acts: --actor or TASKER_ACTOR; else the default of the configuration, if that is a declared agent; else\n" +
			"the agent that the client says it is, since agents read each other's files; else the agent whose shell this is; else the\n" +
			"one of --for. A server offers the same tools at /mcp (and all of them at /mcp?tools=all).",
		Flags: []frame.Flag{
			frame.OneOf(&o.tools, "tools", []string{"loop", "all"}, "which tools: loop (the ones needed to work through a plan) or all"),
			frame.String(&o.entry, "for", "the agent `NAME` for which this entry was written, if the client does not say which agent it is"),
		},
	}, o.run)
}

func (o *mcpOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	if f.Process.InTTY {
		f.Notice("This speaks the Model Context Protocol with an agent that starts it; see " + hint.Command("help setup").String())
	}
	named, _ := f.NamedActor()
	_, given, _ := strings.Cut(named, "/") // an invalid name is refused later
	f.Instance, f.WorksAs, f.For = "mcp-"+f.Wiring.NewKey(), "tasker mcp", o.entry
	if o.entry != "" {
		var err error
		if f.For, _, err = task.ParseCaller(o.entry); err != nil {
			return err
		}
	}
	ctx, stop := f.Stop(ctx)
	defer stop()
	project, err := f.ProjectTold(ctx)
	if err != nil {
		return err
	}
	ctx, caller, err := f.Caller(ctx)
	if err != nil {
		return err
	}
	var one sync.Mutex                                      // calls may come at the same time, and the factory is for one
	known := map[string]core.Caller{"": core.CallerOf(ctx)} // by the name of the client
	return f.Wiring.MCP(ctx, frame.Tooling{
		Caller: caller, Project: project, All: o.tools == "all", Passing: given == "",
		Acting: func(ctx context.Context, client string) (context.Context, error) {
			one.Lock()
			defer one.Unlock()
			if client = words.Cut(client, 100); f.ServerURL() != "" {
				client = "" // no request names its actor
			}
			who, ok := known[client]
			if !ok {
				_, s, err := f.Acting(ctx)
				if err != nil {
					return ctx, err
				}
				var told string
				if who, told, err = f.IdentityOf(client, s.Actors); err != nil {
					return ctx, err
				}
				if told != "" {
					f.Warn([]string{told})
				}
				clear(known) // a connection has one client
				known[client] = who
			}
			return core.WithCaller(ctx, who), nil
		},
		Stale: func(b *bundle.Bundle, missing []string) []fault.Text {
			one.Lock()
			defer one.Unlock()
			return f.NewStaleness().Words(b, missing)
		},
		Carried: func(ctx context.Context, in work.MoveIn, show func(context.Context, string) (*bundle.Bundle, error)) work.MoveIn {
			one.Lock()
			defer one.Unlock()
			in, _ = workspacecli.Carried(ctx, f, in, show)
			return in
		},
		In: f.Process.Stdin, Out: f.Out.Verbatim(),
	})
}
