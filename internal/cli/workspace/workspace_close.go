package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

func newClose(f *frame.Factory) *cobra.Command {
	var force bool
	var fence *frame.IntFlag[int64]
	cmd := f.Command(frame.Spec{
		Use: "close [ID]", Short: "Run the teardown of a workspace, remove its directory and give its ports back", IDs: true,
		Args:    frame.Between(0, 1),
		Example: []string{"tasker workspace close demo-4", "tasker workspace close demo-4 --force   # changes are stored under a ref first"},
		Long: "A directory is removed only where it was made for the task, and only where nothing in it would be lost: changes, new\n" +
			"files, ignored files that the setup did not make, and commits that no remote has. With --force, changes and new files are\n" +
			"stored under refs/tasker/closed/ID/N first, and the answer names the ref. A branch is never deleted.",
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		id, err := f.TaskID(ctx, frame.OrCurrent(args))
		if err != nil {
			return err
		}
		ctx, m, err := Manager(ctx, f)
		if err != nil {
			return err
		}
		Given(f, m, fence)
		ctx, stop := f.Process.Stop(ctx)
		defer stop()
		out, err := m.Close(ctx, task.ID(id), force)
		if err != nil {
			return err
		}
		f.Warn(out.Warnings)
		return f.Answer(out, func() {
			switch {
			case out.Removed && out.Branch == "":
				f.Say("Removed %s, which was half made, and its branch\n", out.Path)
				return
			case out.Removed:
				f.Say("Removed %s; its branch %s stays\n", out.Path, out.Branch)
				return
			}
			f.Say("Closed the workspace of %s; %s stays as it is\n", out.Task, out.Path)
		})
	})
	cmd.Flags().BoolVar(&force, "force", false, "store what is not committed under a ref, and remove it all the same")
	fence = frame.AddFence(cmd.Flags())
	return cmd
}
