package working

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// shortForm returns a command that moves tasks to one status, and its options.
func shortForm(f *frame.Factory, name, short, to string, example ...string) (*cobra.Command, *moveOptions) {
	o := &moveOptions{}
	cmd := f.Command(frame.Spec{
		Use: name + " ID…", Short: short, IDs: true, Many: true, Args: frame.Between(1, -1, "the ID of a task"), Example: example,
		Long: "Short for: tasker move ID " + to,
	}, func(ctx context.Context, f *frame.Factory, args []string) error { return o.move(ctx, f, args, to) })
	o.flags(cmd.Flags())
	return cmd, o
}

// NewReview returns the command `tasker review`.
func NewReview(f *frame.Factory) *cobra.Command {
	cmd, _ := shortForm(f, "review", "Hand a task over for review", string(task.InReview), `tasker review demo-4 --check 1 --note "ready to look at"`)
	return cmd
}

// NewDone returns the command `tasker done`.
func NewDone(f *frame.Factory) *cobra.Command {
	cmd, o := shortForm(f, "done", "Close a task as done; the refusal lists all that is missing", string(task.Done),
		"tasker done demo-4", "tasker done demo-4 --check 1,2 --evidence test=ci/123", "tasker done demo-4 --next   # and claim the next one in the same step")
	cmd.Flags().BoolVar(&o.next, "next", false, "claim the next task in the same step")
	return cmd
}

// NewCancel returns the command `tasker cancel`.
func NewCancel(f *frame.Factory) *cobra.Command {
	cmd, _ := shortForm(f, "cancel", "Close a task without doing it", string(task.Cancelled), `tasker cancel demo-4 --note "superseded by demo-9"`)
	return cmd
}

// NewReopen returns the command `tasker reopen`.
func NewReopen(f *frame.Factory) *cobra.Command {
	cmd, _ := shortForm(f, "reopen", "Open a task again", string(task.Open), "tasker reopen demo-4")
	return cmd
}
