package links

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// NewSync returns the command `tasker sync`.
func NewSync(f *frame.Factory) *cobra.Command {
	cmd := f.Group("sync", "Keep tasks and another system's records alike", "tasker sync status", "tasker sync plan")
	cmd.AddCommand(newStatus(f), newPlan(f), newLog(f), newRetry(f), newDrop(f))
	return cmd
}
