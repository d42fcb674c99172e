package workspaces

import (
	"context"
	"tasker/internal/cli/frame"
	"tasker/internal/core/places"
	"tasker/internal/fault"
	"tasker/internal/workspace"

	"github.com/spf13/cobra"
)

func newExec(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "exec ID -- COMMAND…", Short: "Run a command in the workspace of a task, with its environment", IDs: true,
		Args: frame.Between(2, -1, "the ID of a task", "a COMMAND after --"), Example: []string{"tasker workspace exec demo-4 -- go test ./..."},
		Long: "The command ends with the exit code of what it ran. It is for the holder of the task, for people, and for anybody where\n" +
			"nobody holds it.",
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return here(ctx, f, args[0], func(ctx context.Context, m *workspace.Manager, v places.View) error {
			if err := m.MayUse(ctx, v); err != nil {
				return err
			}
			env, err := m.EnvironmentOf(ctx, v)
			if err != nil {
				return err
			}
			ctx, stop := f.Process.Stop(ctx)
			defer stop()
			done, err := f.Wiring.Exec(ctx, frame.Execution{
				Args: args[1:], Dir: v.Path, Env: append(env, f.ChildEnv()...), Whole: true, Stdin: f.Process.Stdin, Output: f.Out.Verbatim(),
			})
			switch {
			case err != nil:
				return err
			case ctx.Err() != nil:
				return fault.Unready("stopped before %s ended", args[1])
			case done.ExitCode != 0:
				return frame.ErrExit(done.ExitCode)
			}
			return nil
		})
	})
}
