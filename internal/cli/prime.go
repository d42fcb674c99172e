package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/op"
	"tasker/internal/op/wire"
	"tasker/internal/view"
)

func (f *factory) newPrime() *cobra.Command {
	var short bool
	cmd := f.command(spec{
		use: "prime", short: op.Prime.Summary, args: between(0, 0),
		example: []string{"tasker prime            # under 1,500 tokens: for an agent that has never seen tasker", "tasker prime --short    # under 200: for a hook at the start of each session"},
		long:    "It tells who you are and what you hold first, then the loop of work, the project's own rules and the commands. Text\nthat others wrote stands between « and ». With --json it is one JSON string.",
	}, func(ctx context.Context, f *factory, _ []string) error {
		project, err := f.project()
		if err != nil {
			return err
		}
		return do(ctx, f, op.Prime, view.PrimeIn{Project: project, Short: short}, func(f *factory, text wire.Text) { f.out.Text(string(text)) })
	})
	cmd.Flags().BoolVar(&short, "short", false, "the few lines that matter most")
	return cmd
}
