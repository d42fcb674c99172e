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

// newRm returns a command that explains why there is no `rm`.
func newRm(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "rm ID…", Short: "Tasks are cancelled, not deleted", IDs: true, Many: true, Hidden: true,
		Example: []string{"tasker cancel demo-4"},
	}, func(_ context.Context, _ *frame.Factory, args []string) error {
		line := "cancel " + cmp.Or(strings.Join(words.Each(args, words.Shell), " "), "ID")
		return fault.Bad("tasks are cancelled, not deleted: what happened stays in the log").WithHint("cancel instead: %s", hint.Here(line))
	})
}
