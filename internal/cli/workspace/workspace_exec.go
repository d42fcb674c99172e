package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/child/purpose"
	"tasker/internal/cli/frame"
	"tasker/internal/core/places"
	"tasker/internal/task/place"
	"tasker/internal/workspace"
)

func newExec(f *frame.Factory) *cobra.Command {
	var fence *frame.IntFlag[int64]
	cmd := f.Command(frame.Spec{
		Use: "exec ID -- COMMAND…", Short: "Run a command in the workspace of a task, with its environment", IDs: true,
		Args: frame.Between(2, -1, "the ID of a task", "a COMMAND after --"), Example: []string{"tasker workspace exec demo-4 -- go test ./..."},
		Long: "What it runs has the terminal, the streams and the signals of the command itself, and its exit code is the command's. It\n" +
			"is for the holder of the task, for people, and for anybody where nobody holds it.",
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return acting(ctx, f, args[0], fence, place.ToExec, func(ctx context.Context, m *workspace.Manager, v places.View) error {
			env, err := m.EnvironmentOf(ctx, v)
			if err != nil {
				return err
			}
			done, err := f.Wiring.Exec(ctx, f.Process.Foreground(purpose.Worker, args[1:], v.Path, append(env, f.ChildEnv()...)))
			switch {
			case err != nil:
				return err
			case done.ExitCode != 0:
				return frame.ErrExit(done.ExitCode)
			}
			return nil
		})
	})
	fence = frame.AddFence(cmd.Flags())
	return cmd
}
