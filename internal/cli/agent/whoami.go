package agent

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// NewWhoami returns the command `tasker whoami`.
func NewWhoami(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "whoami", Short: op.Whoami.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker whoami", "TASKER_ACTOR=claude/3 tasker whoami --json"},
		Long: "Who acts is decided by, in this order: --actor, TASKER_ACTOR, the actor flagged default in the configuration,\n" +
			"agentDefaults.actor, the agent whose shell this is (by the variables that agents set), the operating system's user.\n" +
			"In an agent's shell the two defaults count only where they name a declared agent. Through a server it is the server's\n" +
			"identity; for a command from an agent's shell a human whom nobody named (no --actor, no TASKER_ACTOR) has no more\n" +
			"rights than an agent.",
	}, runWhoami)
}

func runWhoami(ctx context.Context, f *frame.Factory, _ []string) error {
	project, err := f.ProjectTold(ctx)
	if err != nil {
		return err
	}
	ctx, c, err := f.Caller(ctx)
	if err != nil {
		return err
	}
	me, news, err := op.Whoami.DoListening(ctx, c, reading.WhoamiIn{Project: project})
	f.News.Keep(news)
	if f.Unapplied(err) != "" { // whoami works before the plan is applied
		if me, err = op.Whoami.Do(ctx, c, reading.WhoamiIn{}); err == nil {
			me.Project, me.Applied, me.Rules = task.Opt(project), new(false), "the server's; the project is not applied yet"
			me.Holding = nil
		}
	}
	return f.Answered(err, me, func() { showWhoami(f, me) })
}

func showWhoami(f *frame.Factory, me reading.WhoamiOut) {
	f.Out.Printf("%s, %s, by %s\n", me.Full(), me.Kind, me.How)
	for _, line := range [][2]string{
		{"roles", words.List(me.Roles)}, {"capabilities", words.List(me.Capabilities)}, {"project", string(me.Project)}, {"rules", string(me.Rules)},
	} {
		if line[1] != "" {
			f.Out.Printf("%s: %s\n", line[0], line[1])
		}
	}
	holding(f, me)
}

// holding prints the tasks that the caller holds, their progress, and how long each claim lasts.
func holding(f *frame.Factory, me reading.WhoamiOut) {
	for _, h := range me.Holding {
		left := "until released"
		if h.LeftMs != nil {
			left = "for " + words.Span(time.Duration(*h.LeftMs)*time.Millisecond)
		}
		f.Out.Line(term.Textf("holds "), term.Bold.Of(string(h.Task)), term.Textf(" %s%s (fence %d, %d of %d criteria): %s",
			left, words.When(h.Actor != me.Full(), " as "+h.Actor), h.Fence, h.Progress.Checked, h.Progress.Total, h.Title))
		if h.Workspace != nil {
			f.Out.Printf("  in %s on %s\n", h.Workspace.Path, h.Workspace.Host)
		}
	}
}
