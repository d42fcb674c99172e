package links

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/op"
)

func newDrop(f *frame.Factory) *cobra.Command {
	return newOnWrite(f, "drop", op.SyncDrop, "is given up", "would be given up")
}
