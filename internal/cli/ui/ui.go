package ui

import (
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/views/reading"
)

// New returns the command `tasker ui`.
func New(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "ui", Short: "Look at a project and work on it, on the whole screen of the terminal", Args: frame.Between(0, 0),
		Example: []string{"tasker ui", "tasker ui -p demo --server http://localhost:7420"},
		Long: "It shows what waits for you, what you hold, what is ready and all tasks, and follows what happens. Keys answer questions,\n" +
			"approve the version that is shown, send back, claim, release, tick, note and close: each as the command of that name\n" +
			"does it. ? lists them. It needs a terminal of 60 columns and 20 lines.",
	}, run)
}

func run(ctx context.Context, f *frame.Factory, _ []string) error {
	switch {
	case f.Flags.JSON:
		return fault.Bad("this view is for people: it draws a screen, and has no answer that is JSON").WithHint("read it with: %s", hint.Here("list --json"))
	case !f.Process.InTTY || !f.Process.OutTTY:
		return fault.Bad("this view draws on a terminal, and there is none").WithHint("list the tasks instead: %s", hint.Here("list"))
	case f.Env("TERM") == "dumb":
		return fault.Bad("this view draws on the whole screen, and this terminal cannot (TERM is dumb)").
			WithHint("list the tasks instead: %s", hint.Here("list"))
	}
	a := f.Args(ctx)
	project := a.Project()
	me, err := frame.CallWith(a, op.Whoami, reading.WhoamiIn{Project: project})
	if err != nil {
		return err
	}
	from, err := follow.Start(ctx, f, reading.EventsIn{})
	if err != nil {
		return err
	}
	ctx, stop := f.Stop(ctx)
	defer stop()
	// Warnings would be printed over the screen, so hold them back until it is closed.
	f.Err.Hold()
	defer f.Err.Release(false)
	state, effects := Begin(project, me.Actor, from, 0, 0)
	return draw(f, program{
		ctx: ctx, ops: &operations{f, project}, color: f.Out.Color, begin: effects, state: state, turn: &sync.Mutex{}, crash: &crash{},
	})
}

// draw runs a program on the terminal until it ends, and then restores the terminal.
func draw(f *frame.Factory, p program) error {
	in, out := f.Process.WholeScreen()
	profile := colorprofile.Ascii
	if p.color {
		profile = colorprofile.ANSI
	}
	screen := tea.NewProgram(p, tea.WithContext(p.ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(f.Process.Environ()),
		tea.WithColorProfile(profile), tea.WithoutSignalHandler())
	p.crash.end = screen.Quit
	_, err := screen.Run()
	if broken := p.crash.first(); broken != nil {
		return broken
	}
	if errors.Is(err, tea.ErrProgramKilled) && p.ctx.Err() != nil {
		return nil //nolint:nilerr // it was told to stop
	}
	if err != nil {
		return fault.New(fault.Internal, "the terminal cannot be drawn on: %v", err).WithCause(err)
	}
	return nil
}
