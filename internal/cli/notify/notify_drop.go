package notify

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/op"
)

func newNotifyDrop(f *frame.Factory) *cobra.Command {
	return oneDelivery(f, frame.Spec{
		Use: "drop ID", Example: []string{"tasker notify drop 42"},
		Long: "It is listed as failed from then on, and the next one of its channel goes.",
	}, op.NotifyDrop, "Delivery %d is dropped\n", "Delivery %d would be dropped")
}
