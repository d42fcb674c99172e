package work

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// NewDone returns the command `tasker done`.
func NewDone(f *frame.Factory) *cobra.Command {
	cmd, o := shortForm(f, "done", "Close a task as done; the refusal lists all that is missing", string(task.Done),
		"tasker done demo-4",
		"tasker done demo-4 --check 1,2 --evidence test=ci/123",
		"tasker done demo-4 --next   # and claim the next one in the same step")
	ofCurrent(cmd)
	cmd.Flags().BoolVar(&o.landed, "landed", false, "refuse while its work is not on the base")
	cmd.Flags().BoolVar(&o.next, "next", false, "claim the next task in the same step")
	return cmd
}

// ofCurrent lets a command work on the current task where none is named.
func ofCurrent(cmd *cobra.Command) {
	name, _, _ := strings.Cut(cmd.Use, " ")
	cmd.Use, cmd.Args = name+" [ID…]", frame.Between(0, -1)
	cmd.Long += "\nWithout an ID: the task of the workspace you stand in, or the one that you hold."
}

// checkLanded refuses, with --landed, to close a task whose work is not on its base.
func (o *moveOptions) checkLanded(ctx context.Context, f *frame.Factory, id string) error {
	if !o.landed {
		return nil
	}
	l, err := workspace.Landing(ctx, f, id, true)
	switch {
	case err != nil:
		return err
	case l == nil:
		return fault.Decline("%s is not closed: neither a workspace on this machine nor evidence that was run in this repository shows where its work is", id).
			WithHint("prove it here, or leave --landed away")
	case !l.HasLanded():
		return fault.Decline("%s is not closed: %s", l.Task, l.Words()).WithHint("land it first, or leave --landed away")
	}
	return nil
}
