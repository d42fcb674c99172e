package notify

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/deliveries"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/words"
)

// NewNotify returns the command `tasker notify`.
func NewNotify(f *frame.Factory) *cobra.Command {
	cmd := f.Group("notify", "See how people are told of inbox items, and send what is left", "tasker notify test", "tasker notify log", "tasker notify flush")
	cmd.AddCommand(newNotifyFlush(f), newNotifyLog(f), newNotifyRedeliver(f), newNotifyDrop(f), newNotifyTest(f))
	return cmd
}

// oneDelivery returns a command that does something with one delivery.
func oneDelivery(f *frame.Factory, s frame.Spec, o op.Of[deliveries.DeliveryIn, deliveries.View], said, would string) *cobra.Command {
	var dry bool
	s.Short, s.Args = o.Summary, frame.Exactly("the ID of a delivery")
	cmd := f.Command(s, func(ctx context.Context, f *frame.Factory, args []string) error {
		if err := f.OnlyHere(o.Command); err != nil {
			return err
		}
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id <= 0 {
			return fault.Bad("a delivery is named by its id, a number, and not by %s", words.Quoted(args[0])).
				WithHint("%s has them", remedy.Command("notify log"))
		}
		return frame.Do(ctx, f, o, deliveries.DeliveryIn{ID: id, DryRun: dry}, func(f *frame.Factory, d deliveries.View) {
			if d.DryRun {
				f.Say(would+" (%s to %s)\n", d.ID, d.Item, d.Channel)
				return
			}
			f.Say(said, d.ID)
		})
	})
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be written, and write nothing")
	return cmd
}
