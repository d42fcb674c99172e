package inbox

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/people"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
)

func newEstateSeen(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "seen N", Short: op.Seen.Summary, Args: frame.Exactly("a watermark N"),
		Example: []string{"tasker estate seen 1042"},
		Long:    "The mark never moves back.",
	}, runEstateSeen)
}

func runEstateSeen(ctx context.Context, f *frame.Factory, args []string) error {
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return fault.Bad("%q is not a watermark", args[0]).WithHint("%s shows it: the id of the newest event that was shown", remedy.Command("estate"))
	}
	return frame.Do(ctx, f, op.Seen, people.SeenIn{Watermark: &n}, func(f *frame.Factory, out people.SeenOut) {
		f.Say("You have read up to event %d\n", out.Watermark)
	})
}
