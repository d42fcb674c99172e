package reading

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/bundle"
	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/op"
	"tasker/internal/views/reading"
)

// showOptions holds the options of `tasker show`.
type showOptions struct {
	budget *int
	at     *int64
	full   bool
	watch  bool
}

// NewShow returns the command `tasker show`.
func NewShow(f *frame.Factory) *cobra.Command {
	o := &showOptions{}
	return f.Command(frame.Spec{
		Use: "show [ID…]", Short: op.Show.Op.Summary, IDs: true, Many: true, Args: frame.Between(0, -1),
		Example: []string{"tasker show demo-4", "tasker show demo-4 --full", "tasker show demo-4 --json --budget 4000"},
		Long: "Without an ID it is the task of the workspace you stand in, or the one that you hold.\n" +
			"Long lists are cut to their nearest or newest items; --full and --json have all of them.\n" +
			"A budget is in o200k tokens of the JSON answer. They are estimated, a little high, to keep the answer within it. If it\n" +
			"is too small, what is needed least is left out first, and named in budget.omitted with the command that fetches it.\n" +
			"Without --budget, agentDefaults.budget counts, then context.bundleBudget.",
		Flags: []frame.Flag{
			frame.Bool(&o.full, "full", "cut no list and no text"),
			follow.Watch(&o.watch),
			frame.At(&o.at),
			frame.MaybeInt(&o.budget, "budget", "how many tokens the JSON may take"),
		},
	}, o.run)
}

func (o *showOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	words := render.Bundle
	if o.full {
		words = render.Whole
	}
	return follow.Paint(ctx, f, o.watch, reading.EventsIn{}, func(ctx context.Context) error {
		return frame.EachRead(ctx, f, args, func(a *frame.Args, id string) (*bundle.Bundle, error) {
			return frame.CallWith(a, op.Show, reading.ShowIn{Task: id, Budget: o.budget, At: o.at})
		}, words)
	})
}
