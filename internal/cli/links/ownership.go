package links

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// NewOwnership returns the command `tasker ownership`.
func NewOwnership(f *frame.Factory) *cobra.Command {
	cmd := f.Group("ownership", "Decide which system owns which field of a task", "tasker ownership show")
	cmd.AddCommand(newOwnershipShow(f), newOwnershipSet(f))
	return cmd
}
