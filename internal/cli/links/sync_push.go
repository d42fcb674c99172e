package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/core/linking"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
)

// pushOptions are what the command line gives `tasker sync push`.
type pushOptions struct{ dryRun bool }

func newPush(f *frame.Factory) *cobra.Command {
	o := &pushOptions{}
	cmd := f.Command(frame.Spec{
		Use: "push", Short: "Write to the tracker what is planned", Args: frame.Between(0, 0),
		Example: []string{"tasker sync push", "tasker sync push --json"},
		Long: "Each write looks first: where the issue has changed since it was planned, it becomes a conflict. What fails for now is\n" +
			"tried again by a later push, not before its time; what the tracker refuses is failed, until it is retried or dropped.\n" +
			"Exit code 3 tells that something was refused.",
	}, o.run)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be sent, and send nothing")
	return cmd
}

func (o *pushOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	ctx, s, slug, err := syncing(ctx, f, "sync push")
	if err != nil {
		return err
	}
	out, err := s.Push(ctx, slug, o.dryRun)
	if err != nil {
		return err
	}
	var plan linking.PlanOut
	if o.dryRun {
		if plan, err = frame.Call(ctx, f, op.SyncPlan, core.ProjectIn{Slug: slug}); err != nil {
			return err
		}
	}
	err = f.Answer(out, func() {
		if o.dryRun {
			showPlan(f, plan)
			return
		}
		f.Say("%d sent, %d refused, %d to be tried again\n", out.Sent, out.Failed, out.Pending)
		if out.Failed > 0 {
			f.Say("See why: %s\n", f.AsCommand(remedy.Here("sync plan")))
		}
	})
	if err == nil && out.Failed > 0 {
		return frame.ErrExit(fault.ExitDeclined)
	}
	return err
}
