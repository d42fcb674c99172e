package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/linking"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
	"tasker/internal/words"
)

// NewUnbind returns the command `tasker unbind`.
func NewUnbind(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "unbind ID REF", Short: op.Unbind.Summary, Args: frame.Exactly("the ID of a task", "a REF"), IDs: true,
		Example: []string{"tasker unbind demo-4 DEMO-12"},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		if err := f.OnlyHere("unbind"); err != nil {
			return err
		}
		id, err := f.TaskArg(ctx, args[0])
		if err != nil {
			return err
		}
		return frame.Do(ctx, f, op.Unbind, linking.BindIn{Task: id, Ref: args[1]}, func(f *frame.Factory, b task.Binding) {
			f.Say("%s is no longer bound to %s\n", b.Task, b.Ref)
			f.Echo(ctx, b.Task, "", remedy.Command("bind "+string(b.Task)+" "+words.Shell(b.Ref)))
		})
	})
}
