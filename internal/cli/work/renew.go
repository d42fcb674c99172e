package work

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/reading"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

// renewOptions are what the command line gives `tasker renew`.
type renewOptions struct {
	lease frame.LeaseFlag
	fence *frame.IntFlag[int64]
}

// NewRenew returns the command `tasker renew`.
func NewRenew(f *frame.Factory) *cobra.Command {
	o := &renewOptions{}
	cmd := f.Command(frame.Spec{
		Use: "renew [ID]", Short: "Renew the claim you hold; its fence is found by itself", IDs: true, Args: frame.Between(0, 1),
		Example: []string{"tasker renew demo-4", "tasker renew demo-4 --lease 1h"},
		Long:    "Without --lease the claim keeps its own length. A task that you do not hold is never claimed by this.",
	}, o.run)
	cmd.Flags().Var(&o.lease, "lease", "how long you hold it from now, such as 30m, 2h, 1d (0: until you release it)")
	o.fence = frame.AddFence(cmd.Flags())
	return cmd
}

func (o *renewOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	id, err := f.TaskArg(ctx, frame.OrCurrent(args))
	if err != nil {
		return err
	}
	with, err := f.Fence(ctx, o.fence, id)
	if err == nil && with == nil {
		with, err = ownFence(ctx, f, id)
	}
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Claim, work.ClaimIn{Task: id, Fence: with, LeaseMs: o.lease.Ms}, func(f *frame.Factory, c task.Claim) {
		render.Claim(f, c)
		f.Echo(ctx, c.Task, "", frame.NoUndo)
	})
}

// ownFence returns the fence of the caller's own claim on a task.
func ownFence(ctx context.Context, f *frame.Factory, id string) (*int64, error) {
	b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: id})
	if err != nil {
		return nil, err
	}
	me, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: b.Task.Project})
	if err != nil {
		return nil, err
	}
	for _, h := range me.Holding {
		if h.Task == b.Task.ID && h.Actor == me.Full() {
			return &h.Fence, nil
		}
	}
	if c := b.Task.Claim; c != nil {
		return nil, fault.Decline("%s is held by %s, not by you", b.Task.ID, c.Actor)
	}
	return nil, fault.Decline("%s is held by nobody, so there is nothing to renew", b.Task.ID).WithHint("claim it: %s", remedy.Claim(b.Task.ID))
}
