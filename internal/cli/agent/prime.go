package agent

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/agent/prime"
	"tasker/internal/cli/frame"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// primeOptions holds the options of `tasker prime`.
type primeOptions struct {
	short bool
}

// NewPrime returns the command `tasker prime`.
func NewPrime(f *frame.Factory) *cobra.Command {
	o := &primeOptions{}
	return f.Command(frame.Spec{
		Use: "prime", Short: op.Prime.Summary, Args: frame.Between(0, 0),
		Example: []string{
			"tasker prime            # under 1,500 tokens: for an agent that has never seen tasker",
			"tasker prime --short    # under 200: for a hook at the start of each session",
		},
		Long: "It says who you are and what you hold first, then the loop of work, the project's own rules and the commands. Text\n" +
			"that others wrote stands between « and ». With --json it is one JSON string.",
		Flags: []frame.Flag{
			frame.Bool(&o.short, "short", "the few lines that matter most"),
		},
	}, o.run)
}

func (o *primeOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	project, err := f.Project()
	if err != nil {
		return err
	}
	if err := f.TellWhose(ctx); err != nil {
		return err
	}
	ctx, c, err := f.Caller(ctx)
	if err != nil {
		return err
	}
	text, err := op.Prime.Do(ctx, c, reading.PrimeIn{Project: project, Short: o.short})
	if f.Unapplied(err) != "" { // print the manual without a project, and say why there is none
		if text, err = op.Prime.Do(ctx, c, reading.PrimeIn{Short: o.short}); err == nil {
			text = wire.Text(o.unapplied(f, project).Wait()+"\n\n") + text
		}
	}
	if err != nil {
		return err
	}
	return f.Answer(text, func() { f.Out.Text(string(text)) })
}

// unapplied returns the project that the file here declares, and since when.
func (o *primeOptions) unapplied(f *frame.Factory, project string) prime.Unapplied {
	out := prime.Unapplied{Project: project, Now: task.TimeOf(f.Now())}
	if loaded, err := f.Configuration(); err == nil && !loaded.Since.IsZero() {
		out.Since = task.TimeOf(loaded.Since)
	}
	return out
}
