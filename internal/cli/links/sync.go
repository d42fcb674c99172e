package links

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// NewSync returns the command `tasker sync`.
func NewSync(f *frame.Factory) *cobra.Command {
	cmd := f.Group("sync", "Keep tasks and another system's records alike", "tasker sync status", "tasker sync pull", "tasker sync push")
	cmd.AddCommand(newStatus(f), newPull(f), newPlan(f), newPush(f), newLog(f), newRetry(f), newDrop(f), newTrust(f))
	return cmd
}
