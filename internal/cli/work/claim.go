package work

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// NewClaim returns the command `tasker claim`.
func NewClaim(f *frame.Factory) *cobra.Command {
	return claiming(f, frame.Spec{
		Use: "claim ID…", Short: op.Claim.Op.Summary, IDs: true, Many: true, Args: frame.Between(1, -1, "the ID of a task"),
		Example: []string{"tasker claim demo-4", "tasker claim demo-4 --lease 30m", "tasker claim demo-4 --lease 0   # until you release it"},
	})
}

// claimOptions holds the options of `tasker claim`.
type claimOptions struct {
	lease     *int64
	fence     *int64
	workspace bool
}

func claiming(f *frame.Factory, s frame.Spec) *cobra.Command {
	o := &claimOptions{}
	s.Flags = []frame.Flag{
		frame.Lease(&o.lease, "lease", "how long you hold it, such as 30m, 2h, 1d (0: until you release it)"),
		frame.Fence(&o.fence),
		frame.Bool(&o.workspace, "workspace", "open its workspace too; the task is given back if that fails"),
	}
	return f.Command(s, o.run)
}

func (o *claimOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	places := map[task.ID]string{}
	return frame.Each(ctx, f, args, func(a *frame.Args, id string) (work.ClaimOut, error) {
		c, err := frame.CallWith(a, op.Claim, work.ClaimIn{Task: id, Fence: a.Fence(o.fence), LeaseMs: o.lease})
		if err == nil && o.workspace {
			places[c.Task], err = place(ctx, f, c.Record())
		}
		return c, err
	}, func(f *frame.Factory, c work.ClaimOut) {
		render.Claim(f, c.Record())
		if path := places[c.Task]; path != "" {
			f.Say("Its workspace is %s\n", path)
		}
		render.Ending(f, c.How)
		f.Echo(ctx, c.Task, "", hint.Command("release "+string(c.Task)))
	})
}

// place opens the workspace of a claimed task, and returns its path.
func place(ctx context.Context, f *frame.Factory, c task.Claim) (string, error) {
	b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: string(c.Task)})
	if err != nil {
		return "", err
	}
	v, err := workspace.OpenFor(ctx, f, b, c)
	f.Warn(v.Warnings)
	return v.Path, err
}

// NewStart returns the command `tasker start`.
func NewStart(f *frame.Factory) *cobra.Command {
	return claiming(f, frame.Spec{
		Use: "start ID…", Short: "Start work on a task: claim it", IDs: true, Many: true, Args: frame.Between(1, -1, "the ID of a task"),
		Example: []string{"tasker start demo-4", "tasker start demo-4 --lease 30m"},
	})
}

// renewOptions holds the options of `tasker renew`.
type renewOptions struct {
	lease *int64
	fence *int64
}

// NewRenew returns the command `tasker renew`.
func NewRenew(f *frame.Factory) *cobra.Command {
	o := &renewOptions{}
	return f.Command(frame.Spec{
		Use: "renew [ID]", Short: "Renew the claim you hold; its fence is found for you", IDs: true, Args: frame.Between(0, 1),
		Example: []string{"tasker renew demo-4", "tasker renew demo-4 --lease 1h"},
		Long:    "Without --lease the claim keeps its own length. It never claims a task that you do not hold.",
		Flags: []frame.Flag{
			frame.Lease(&o.lease, "lease", "how long you hold it from now, such as 30m, 2h, 1d (0: until you release it)"),
			frame.Fence(&o.fence),
		},
	}, o.run)
}

func (o *renewOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	a := f.Args(ctx)
	in := work.ClaimIn{Task: a.Task(frame.OrCurrent(args)), Fence: a.Fence(o.fence), LeaseMs: o.lease}
	if a.Err == nil && in.Fence == nil {
		in.Fence, a.Err = ownFence(ctx, f, in.Task)
	}
	return frame.DoWith(a, op.Claim, in, func(f *frame.Factory, c work.ClaimOut) {
		render.Claim(f, c.Record())
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
	return nil, fault.Decline("%s is held by nobody, so there is nothing to renew", b.Task.ID).WithHint("claim it: %s", hint.Claim(b.Task.ID))
}

// releaseOptions holds the options of `tasker release`.
type releaseOptions struct {
	in    work.ReleaseIn
	fence *int64
}

// NewRelease returns the command `tasker release`.
func NewRelease(f *frame.Factory) *cobra.Command {
	o := &releaseOptions{}
	return f.Command(frame.Spec{
		Use: "release [ID…]", Short: op.Release.Op.Summary, IDs: true, Many: true, Args: frame.Between(0, -1),
		Example: []string{"tasker release demo-4", `tasker release demo-4 --failed --note "the fixture is missing"`},
		Flags: []frame.Flag{
			frame.MaybeText(&o.in.Note, "note", "what the next worker should know (- reads standard input)"),
			frame.Bool(&o.in.Failed, "failed", "count it as a failed attempt"),
			frame.Fence(&o.fence),
		},
	}, o.run)
}

func (o *releaseOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	note, err := f.Given(o.in.Note)
	if err != nil {
		return err
	}
	o.in.Note = note
	type released struct {
		work.ReleaseOut
		id string
	}
	return frame.Each(ctx, f, args, func(a *frame.Args, id string) (released, error) {
		o.in.Task, o.in.Fence = id, a.Fence(o.fence)
		out, err := frame.CallWith(a, op.Release, o.in)
		return released{out, id}, err
	}, func(f *frame.Factory, r released) {
		if r.Actor == "" {
			f.Say("%s was held by nobody\n", r.id)
			return
		}
		f.Say("%s is released; %s held it\n", r.id, r.Actor)
		f.Echo(ctx, task.ID(r.id), "", hint.Command("claim "+r.id))
	})
}
