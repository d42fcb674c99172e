package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/text/words"
)

// newRm returns the command that says why there is none of its name.
func newRm(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "rm ID…", Short: "Tasks are cancelled, not deleted", IDs: true, Many: true, Hidden: true,
		Example: []string{"tasker cancel demo-4"},
	}, func(_ context.Context, _ *frame.Factory, args []string) error {
		line := "cancel " + cmp.Or(strings.Join(words.Each(args, words.Shell), " "), "ID")
		return fault.Bad("tasks are cancelled, not deleted: what happened stays in the log").WithHint("cancel instead: %s", hint.Here(line))
	})
}
