package notify

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/deliveries"
	"tasker/internal/op"
	"tasker/internal/remedy"
)

func newNotifyFlush(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "flush", Short: op.NotifyFlush.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker notify flush", "tasker notify flush --json"},
		Long: "It sends to the channels that the configuration here declares, one attempt for each item in order; where one has to be\n" +
			"repeated, those behind it wait. A channel that a running server delivers to is left to it. After a restore this is also\n" +
			"what lets the deliveries go that the restore has held.",
	}, func(ctx context.Context, f *frame.Factory, _ []string) error {
		if err := f.OnlyHere("notify flush"); err != nil {
			return err
		}
		in := deliveries.FlushIn{Holder: "flush-" + f.Wiring.NewKey()}
		return frame.Do(ctx, f, op.NotifyFlush, in, func(f *frame.Factory, out deliveries.FlushOut) {
			f.Say("%d delivered, %d failed, %d pending\n", out.Delivered, out.Failed, out.Pending)
			if out.Failed+out.Pending > 0 {
				f.Say("See why: %s\n", f.AsCommand(remedy.Command("notify log")))
			}
		})
	})
}
