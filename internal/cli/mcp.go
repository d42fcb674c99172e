package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/op"
)

// Tooling is what a tool server is started with.
type Tooling struct {
	Caller  op.Caller
	Acting  func(context.Context) context.Context // completes a call's context by who acts
	Project string                                // to assume where a call names none; may be empty
	All     bool                                  // every operation that has a route
	Passing bool                                  // nobody acts under this name again: what is still held at the end is given back
	Stale   func(*core.Bundle) []string           // which evidence of a task is stale, as only the work tree tells
	In      io.Reader
	Out     io.Writer
}

func (f *factory) newMCP() *cobra.Command {
	tools := oneOf("loop", []string{"loop", "all"})
	cmd := f.command(spec{
		use: "mcp", short: "Serve the operations as tools to an agent, over standard input and output", args: between(0, 0),
		example: []string{
			"tasker mcp                     # an agent starts it: tasker setup writes the entry",
			"TASKER_ACTOR=claude tasker mcp --tools all",
		},
		long: "It speaks the Model Context Protocol, and prints nothing else on standard output. Each start is an instance of its\n" +
			"actor of its own, so that two agents under one name never share a task, and what it still holds when the agent goes\n" +
			"is given back; under a name with an instance (claude/3) it is kept, for next to resume. The fence of what it holds\n" +
			"is sent by itself. A server offers the same tools at /mcp (and all of them at /mcp?tools=all).",
	}, func(ctx context.Context, f *factory, _ []string) error { return f.mcp(ctx, tools.value == "all") })
	cmd.Flags().Var(tools, "tools", "which tools: loop (those that working through a plan takes) or all")
	_ = cmd.RegisterFlagCompletionFunc("tools", cobra.FixedCompletions(tools.of, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *factory) mcp(ctx context.Context, all bool) error {
	if f.p.InTTY {
		f.notice("This speaks the Model Context Protocol with an agent that starts it; see tasker setup --help")
	}
	named, _ := f.namedActor()
	_, given, _ := strings.Cut(named, "/") // a name that is no name is refused further on
	f.instance, f.worksAs = "mcp-"+f.w.NewKey(), "tasker mcp"
	project, err := f.project()
	if err != nil {
		return err
	}
	ctx, stop := f.p.Stop(ctx)
	defer stop()
	ctx, caller, err := f.caller(ctx)
	if err != nil {
		return err
	}
	who := core.CallerOf(ctx)
	return f.w.MCP(ctx, Tooling{
		Caller: caller, Project: project, All: all, Passing: given == "",
		Acting: func(ctx context.Context) context.Context { return core.WithCaller(ctx, who) },
		Stale:  func(b *core.Bundle) []string { return f.staleNow().words(b) },
		In:     f.p.Stdin, Out: f.out.verbatim(),
	})
}
