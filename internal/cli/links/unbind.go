package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/linking"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/words"
)

// NewUnbind returns the command `tasker unbind`.
func NewUnbind(f *frame.Factory) *cobra.Command {
	var dry bool
	cmd := f.Command(frame.Spec{
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
		return frame.Do(ctx, f, op.Unbind, linking.BindIn{Task: id, Ref: args[1], DryRun: dry}, func(f *frame.Factory, b linking.BindOut) {
			if b.DryRun {
				f.Say("%s would no longer be bound to %s; %s and %s would end with it\n", b.Task, b.Ref,
					words.Count(b.Writes, "planned write", "planned writes"), words.Count(b.Conflicts, "conflict", "conflicts"))
				return
			}
			f.Say("%s is no longer bound to %s\n", b.Task, b.Ref)
			f.Echo(ctx, b.Task, "", remedy.Command("bind "+string(b.Task)+" "+words.Shell(b.Ref)))
		})
	})
	dryRun(cmd, &dry)
	return cmd
}
