package work

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// NewStart returns the command `tasker start`.
func NewStart(f *frame.Factory) *cobra.Command {
	return claiming(f, frame.Spec{
		Use: "start ID…", Short: "Start work on a task: claim it", IDs: true, Many: true, Args: frame.Between(1, -1, "the ID of a task"),
		Example: []string{"tasker start demo-4", "tasker start demo-4 --lease 30m"},
	})
}
