package agent

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/views/reading"
)

// primeOptions holds the options of `tasker prime`.
type primeOptions struct {
	short bool
}

// NewPrime returns the command `tasker prime`.
func NewPrime(f *frame.Factory) *cobra.Command {
	o := &primeOptions{}
	return f.Command(frame.Spec{
		Use: "prime", Short: op.Prime.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{
			"tasker prime            # under 1,500 tokens: for an agent that has never seen tasker",
			"tasker prime --short    # under 300: for a hook at the start of each session",
		},
		Long: "It says who you are and what you hold first, then the loop of work, the project's own rules and the commands. Text\n" +
			"that others wrote stands between « and ». With --json it is one JSON string.",
		Flags: []frame.Flag{
			frame.Bool(&o.short, "short", "the few lines that matter most"),
		},
	}, o.run)
}

func (o *primeOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	text, err := primed(ctx, f, o.short)
	return f.Answered(err, text, func() { f.Out.Text(string(text)) })
}

// primed returns the manual of the project that commands assume here. A server may have no file of a project that the
// file here declares.
func primed(ctx context.Context, f *frame.Factory, short bool) (wire.Text, error) {
	project, err := f.ProjectTold(ctx)
	if err != nil {
		return "", err
	}
	ctx, c, err := f.Caller(ctx)
	if err != nil {
		return "", err
	}
	in := reading.PrimeIn{Project: project, Short: short}
	text, err := op.Prime.Do(ctx, c, in)
	if f.Unapplied(err) != "" {
		in.Declared = true
		text, err = op.Prime.Do(ctx, c, in)
	}
	return text, err
}
