package notify

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/op"
)

func newNotifyRedeliver(f *frame.Factory) *cobra.Command {
	return oneDelivery(f, frame.Spec{
		Use: "redeliver ID", Example: []string{"tasker notify redeliver 42"},
		Long: "It is sent after the command has answered, or by the server that delivers to its channel, before what is queued behind it.",
	}, op.NotifyRedeliver, "Delivery %d is pending again\n", "Delivery %d would be pending again")
}
