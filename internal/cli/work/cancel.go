package work

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// NewCancel returns the command `tasker cancel`.
func NewCancel(f *frame.Factory) *cobra.Command {
	cmd, _ := shortForm(f, "cancel", "Close a task without doing it", string(task.Cancelled), `tasker cancel demo-4 --note "superseded by demo-9"`)
	return cmd
}
