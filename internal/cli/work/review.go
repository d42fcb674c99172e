package work

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// NewReview returns the command `tasker review`.
func NewReview(f *frame.Factory) *cobra.Command {
	cmd, _ := shortForm(f, "review", "Hand a task over for review", string(task.InReview), `tasker review demo-4 --check 1 --note "ready to look at"`)
	ofCurrent(cmd)
	return cmd
}
