package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newClaim() *cobra.Command {
	return f.claiming(spec{
		use: "claim ID…", short: op.Claim.Summary, ids: true, many: true, args: between(1, -1, "the ID of a task"),
		example: []string{"tasker claim demo-4", "tasker claim demo-4 --lease 30m", "tasker claim demo-4 --lease 0   # until you release it"},
	})
}

func (f *factory) newStart() *cobra.Command {
	return f.claiming(spec{
		use: "start ID…", short: "Start work on a task: claim it", ids: true, many: true, args: between(1, -1, "the ID of a task"),
		example: []string{"tasker start demo-4", "tasker start demo-4 --lease 30m"},
	})
}

func (f *factory) claiming(s spec) *cobra.Command {
	var lease leaseFlag
	var fence *intFlag[int64]
	cmd := f.command(s, func(ctx context.Context, f *factory, args []string) error {
		return each(ctx, f, args, func(ctx context.Context, id string) (task.Claim, error) {
			with, err := f.fence(ctx, fence, id)
			if err != nil {
				return task.Claim{}, err
			}
			return call(ctx, f, op.Claim, core.ClaimIn{Task: id, Fence: with, LeaseMs: lease.ms})
		}, (*factory).showClaim)
	})
	cmd.Flags().Var(&lease, "lease", "how long you hold it, such as 30m, 2h, 1d (0: until you release it)")
	fence = fenceFlag(cmd.Flags())
	return cmd
}

func (f *factory) newRenew() *cobra.Command {
	var lease leaseFlag
	var fence *intFlag[int64]
	cmd := f.command(spec{
		use: "renew ID", short: "Renew the claim you hold; its fence is found by itself", ids: true, args: exactly("the ID of a task"),
		example: []string{"tasker renew demo-4", "tasker renew demo-4 --lease 1h"},
		long:    "Without --lease the claim keeps its own length. A task that you do not hold is never claimed by this.",
	}, func(ctx context.Context, f *factory, args []string) error {
		id, err := f.task(ctx, args[0])
		if err != nil {
			return err
		}
		with, err := f.fence(ctx, fence, id)
		if err == nil && with == nil {
			with, err = f.ownFence(ctx, id)
		}
		if err != nil {
			return err
		}
		return do(ctx, f, op.Claim, core.ClaimIn{Task: id, Fence: with, LeaseMs: lease.ms}, (*factory).showClaim)
	})
	cmd.Flags().Var(&lease, "lease", "how long you hold it from now, such as 30m, 2h, 1d (0: until you release it)")
	fence = fenceFlag(cmd.Flags())
	return cmd
}

// ownFence finds the fence of the caller's own claim on a task.
func (f *factory) ownFence(ctx context.Context, id string) (*int64, error) {
	b, err := call(ctx, f, op.Show, core.ShowIn{Task: id})
	if err != nil {
		return nil, err
	}
	me, err := call(ctx, f, op.Whoami, core.WhoamiIn{Project: b.Task.Project})
	if err != nil {
		return nil, err
	}
	for _, h := range me.Holding {
		if h.Task == b.Task.ID {
			return &h.Fence, nil
		}
	}
	if c := b.Task.Claim; c != nil {
		return nil, fault.Decline("%s is held by %s, not by you", b.Task.ID, c.Actor)
	}
	return nil, fault.Decline("%s is held by nobody, so there is nothing to renew", b.Task.ID).WithHint("claim it: tasker claim %s", b.Task.ID)
}

// showClaim says what is held, for how long, and under which fence.
func (f *factory) showClaim(c task.Claim) {
	f.say("%s is yours %s (fence %d)\n", c.Task, until(c.ExpiresAt, f.now()), c.Fence)
}

func (f *factory) newRelease() *cobra.Command {
	var note textFlag
	var failed bool
	var fence *intFlag[int64]
	cmd := f.command(spec{
		use: "release ID…", short: op.Release.Summary, ids: true, many: true, args: between(1, -1, "the ID of a task"),
		example: []string{"tasker release demo-4", `tasker release demo-4 --failed --note "the fixture is missing"`},
	}, func(ctx context.Context, f *factory, args []string) error {
		text, err := f.given(note)
		if err != nil {
			return err
		}
		in := core.ReleaseIn{Failed: failed, Note: text}
		type released struct {
			id  string
			out core.ReleaseOut
		}
		var done []released
		return each(ctx, f, args, func(ctx context.Context, id string) (core.ReleaseOut, error) {
			var err error
			if in.Fence, err = f.fence(ctx, fence, id); err != nil {
				return core.ReleaseOut{}, err
			}
			in.Task = id
			out, err := call(ctx, f, op.Release, in)
			done = append(done, released{id, out})
			return out, err
		}, func(f *factory, _ core.ReleaseOut) {
			r := done[0]
			done = done[1:]
			if r.out.Actor == "" {
				f.say("%s was held by nobody\n", r.id)
				return
			}
			f.say("%s is released; %s held it\n", r.id, r.out.Actor)
		})
	})
	cmd.Flags().Var(&note, "note", "what the next worker should know (- reads standard input)")
	cmd.Flags().BoolVar(&failed, "failed", false, "count it as a failed attempt")
	fence = fenceFlag(cmd.Flags())
	return cmd
}
