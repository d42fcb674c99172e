package work

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// NewUncheck returns the command `tasker uncheck`.
func NewUncheck(f *frame.Factory) *cobra.Command {
	return ticking(f, false, frame.Spec{
		Use: "uncheck [ID] N…", Short: "Untick acceptance criteria of a task", IDs: true, Args: frame.Between(1, -1, "the number of a criterion"),
		Example: []string{"tasker uncheck demo-4 2"},
	})
}
