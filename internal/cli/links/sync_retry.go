package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/linking"
	"tasker/internal/op"
)

func newRetry(f *frame.Factory) *cobra.Command {
	return newOnWrite(f, "retry", op.SyncRetry, "will be tried again", "would be tried again")
}

// newOnWrite returns a command on one outbound write.
func newOnWrite(f *frame.Factory, name string, o op.Of[linking.WriteIn, linking.Planned], said, would string) *cobra.Command {
	var dry bool
	cmd := f.Command(frame.Spec{
		Use: name + " ID", Short: o.Summary, Args: frame.Exactly("the ID of a write"), Example: []string{"tasker sync " + name + " 120"},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		if err := f.OnlyHere("sync " + name); err != nil {
			return err
		}
		id, err := number(args[0], "a write", "sync plan")
		if err != nil {
			return err
		}
		return frame.Do(ctx, f, o, linking.WriteIn{ID: id, DryRun: dry}, func(f *frame.Factory, w linking.Planned) {
			said := said
			if w.DryRun {
				said = would + ": " + shown(w.From) + " becomes " + shown(w.To)
			}
			f.Say("%d (%s of %s) %s\n", w.ID, w.Field, w.Ref, said)
		})
	})
	dryRun(cmd, &dry)
	return cmd
}
