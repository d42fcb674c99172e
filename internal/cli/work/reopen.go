package work

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// NewReopen returns the command `tasker reopen`.
func NewReopen(f *frame.Factory) *cobra.Command {
	cmd, _ := shortForm(f, "reopen", "Open a task again", string(task.Open), "tasker reopen demo-4")
	return cmd
}
