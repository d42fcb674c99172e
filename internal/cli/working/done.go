package working

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/spaces"
	"tasker/internal/fault"
	"tasker/internal/task"
)

// NewDone returns the command `tasker done`.
func NewDone(f *frame.Factory) *cobra.Command {
	cmd, o := shortForm(f, "done", "Close a task as done; the refusal lists all that is missing", string(task.Done),
		"tasker done demo-4",
		"tasker done demo-4 --check 1,2 --evidence test=ci/123",
		"tasker done demo-4 --next   # and claim the next one in the same step")
	cmd.Flags().BoolVar(&o.landed, "landed", false, "refuse while the work in its workspace is not on the base")
	cmd.Flags().BoolVar(&o.next, "next", false, "claim the next task in the same step")
	return cmd
}

// checkLanded tells where the work on a task is that is being closed, while it is not on its base; with --landed that is a
// refusal.
func (o *moveOptions) checkLanded(ctx context.Context, f *frame.Factory, id, to string) error {
	if to != string(task.Done) {
		return nil
	}
	said, known, err := spaces.Unlanded(ctx, f, id)
	switch {
	case err != nil && !o.landed:
		f.Warn([]string{"where its work is was not looked at: " + err.Error()})
		return nil
	case err != nil:
		return err
	case said != "" && o.landed:
		return fault.Decline("%s is not closed: %s", id, said).WithHint("land it first, or leave --landed away")
	case !known && o.landed:
		return fault.Decline("%s is not closed: it has no workspace with a branch on this machine, so nobody can tell where its work is", id).
			WithHint("leave --landed away")
	case said != "":
		f.Warn([]string{said})
	}
	return nil
}
