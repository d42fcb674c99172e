package working

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// NewDone returns the command `tasker done`.
func NewDone(f *frame.Factory) *cobra.Command {
	cmd, o := shortForm(f, "done", "Close a task as done; the refusal lists all that is missing", string(task.Done),
		"tasker done demo-4",
		"tasker done demo-4 --check 1,2 --evidence test=ci/123",
		"tasker done demo-4 --next   # and claim the next one in the same step")
	cmd.Flags().BoolVar(&o.next, "next", false, "claim the next task in the same step")
	return cmd
}
