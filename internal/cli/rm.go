package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/text/words"
)

// newRm returns the command that says why there is none of its name.
func newRm(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "rm ID…", Short: "Tasks are cancelled, not deleted", IDs: true, Many: true,
		Example: []string{"tasker cancel demo-4"},
	}, func(_ context.Context, _ *frame.Factory, args []string) error {
		line := "cancel"
		for _, a := range args {
			line += " " + words.Shell(a)
		}
		if len(args) == 0 {
			line += " ID"
		}
		return fault.Bad("tasks are cancelled, not deleted: what happened stays in the log").WithHint("cancel instead: %s", hint.Here(line))
	})
	cmd.Hidden = true
	return cmd
}
