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
	"tasker/internal/fault/hint"
)

// mcpOptions holds the options of `tasker mcp`.
type mcpOptions struct {
	tools string
}

// NewMCP returns the command `tasker mcp`.
func NewMCP(f *frame.Factory) *cobra.Command {
	o := &mcpOptions{tools: "loop"}
	return f.Command(frame.Spec{
		Use: "mcp", Short: "Serve the operations as tools to an agent, over standard input and output", Args: frame.Between(0, 0),
		Example: []string{
			"tasker mcp                     # an agent starts it: tasker setup writes the entry",
			"TASKER_ACTOR=claude tasker mcp --tools all",
		},
		Long: "It speaks the Model Context Protocol, and prints nothing else on standard output. Each start is its own\n" +
			"instance of its actor, so that two agents under one name never share a task. What it still holds when the agent goes\n" +
			"is given back; under a name with an instance (claude/3) it is kept, for next to resume. It sends the fence of what it\n" +
			"holds by itself. A server offers the same tools at /mcp (and all of them at /mcp?tools=all).",
		Flags: []frame.Flag{
			frame.OneOf(&o.tools, "tools", []string{"loop", "all"}, "which tools: loop (the ones needed to work through a plan) or all"),
		},
	}, o.run)
}

func (o *mcpOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	if f.Process.InTTY {
		f.Notice("This speaks the Model Context Protocol with an agent that starts it; see " + hint.Command("help setup").String())
	}
	named, _ := f.NamedActor()
	_, given, _ := strings.Cut(named, "/") // an invalid name is refused later
	f.Instance, f.WorksAs = "mcp-"+f.Wiring.NewKey(), "tasker mcp"
	ctx, stop := f.Process.Stop(ctx)
	defer stop()
	project, err := f.ProjectTold(ctx)
	if err != nil {
		return err
	}
	ctx, caller, err := f.Caller(ctx)
	if err != nil {
		return err
	}
	who := core.CallerOf(ctx)
	var one sync.Mutex // calls may come at the same time, and the factory is for one
	return f.Wiring.MCP(ctx, frame.Tooling{
		Caller: caller, Project: project, All: o.tools == "all", Passing: given == "",
		Acting: func(ctx context.Context) context.Context { return core.WithCaller(ctx, who) },
		Stale:  func(b *bundle.Bundle) []fault.Text { return f.NewStaleness().Words(b) },
		Changed: func(ctx context.Context, id string) []string {
			one.Lock()
			defer one.Unlock()
			return workspacecli.Changed(ctx, f, id).Paths()
		},
		In: f.Process.Stdin, Out: f.Out.Verbatim(),
	})
}
