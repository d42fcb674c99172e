package work

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// nextOptions holds the options of `tasker next`.
type nextOptions struct {
	in          work.NextIn
	claim, code bool
	workspace   bool
	wait        time.Duration
}

// NewNext returns the command `tasker next`.
func NewNext(f *frame.Factory) *cobra.Command {
	o := &nextOptions{}
	return f.Command(frame.Spec{
		Use: "next", Short: "Show the task to work on next; with --claim, select and claim it in one step", Args: frame.Between(0, 0),
		Example: []string{
			"tasker next            # a preview: the same answer every time",
			"tasker next --claim    # yours: no two callers get the same task",
			"tasker next --resume   # first what you hold already, renewed",
			"tasker next --claim --workspace   # with a work tree, ports and an environment of its own",
			"tasker next --claim --under demo-2 --apart --lease 30m",
			"tasker next --claim --wait 5m --exit-code   # waits until there is work, and ends with 7 if none came",
		},
		Flags: []frame.Flag{
			frame.Bool(&o.claim, "claim", "claim what is selected"),
			frame.Bool(&o.in.Resume, "resume", "return first the task you hold whose lease ends soonest, renewed (implies --claim)"),
			frame.String(&o.in.Under, "under", "only tasks below this one"),
			frame.Bool(&o.in.Apart, "apart", "pass over tasks that touch what a held one touches"),
			frame.Lease(&o.in.LeaseMs, "lease", "how long you hold it, such as 30m, 2h, 1d (0: until you release it)"),
			frame.Duration(&o.wait, "wait", "wait this long for something to do, such as 5m, without polling"),
			frame.Bool(&o.workspace, "workspace", "open its workspace too; the task is given back if that fails (implies --claim)"),
			frame.Bool(&o.code, "exit-code", "exit with 7 when there is nothing to do"),
		},
	}, o.run)
}

func (o *nextOptions) run(ctx context.Context, f *frame.Factory, _ []string) (err error) {
	claim, of := o.claim || o.workspace || o.in.Resume, f.ProjectWith
	switch {
	case claim:
		of = f.ProjectToWriteWith
	case o.in.LeaseMs != nil:
		return fault.Bad("--lease is for a claim, and a preview claims nothing").WithHint("add --claim, or leave --lease out")
	}
	if o.in.Project, err = of(ctx, &o.in.Under); err != nil {
		return err
	}
	out, err := nextWithin(ctx, f, o.in, claim, o.wait)
	if err == nil && o.workspace && out.Claimed != nil {
		err = o.open(ctx, f, &out)
	}
	return f.AnsweredOr(err, out, !o.code || out.Task != nil, frame.ErrNothing, func() { render.Next(f, out) })
}

// open opens the workspace of the claimed task, and adds it to the answer.
func (o *nextOptions) open(ctx context.Context, f *frame.Factory, out *work.NextOut) error {
	if out.Bundle == nil { // it could not be read right after the claim
		b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: string(out.Claimed.Task)})
		if err != nil {
			return err
		}
		out.Bundle = b
	}
	v, err := workspace.OpenFor(ctx, f, out.Bundle, *out.Claimed)
	if err != nil {
		return err
	}
	f.Warn(v.Warnings)
	b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: string(v.Task)})
	if err == nil {
		out.Bundle = b
	}
	return err
}

// nextWithin repeats next while there is nothing to do, for at most wait.
func nextWithin(ctx context.Context, f *frame.Factory, in work.NextIn, claim bool, wait time.Duration) (work.NextOut, error) {
	out, err := next(ctx, f, in, claim)
	if err != nil || out.Task != nil || wait == 0 {
		return out, err
	}
	sayWaiting(f, "until there is work for you. "+render.Idle(f, out.Idle))
	err = follow.Await(ctx, f, in.Project, wait, func(ctx context.Context) (bool, task.Time, error) {
		// A preview is only a read, so claim only once the preview finds something.
		if out, err = next(ctx, f, in, false); err == nil && out.Task != nil && claim {
			out, err = next(ctx, f, in, true)
		}
		if err != nil || out.Task != nil || out.Idle == nil {
			return out.Task != nil, 0, err
		}
		return false, out.Idle.NextExpiry, nil
	})
	return out, err
}

func next(ctx context.Context, f *frame.Factory, in work.NextIn, claim bool) (work.NextOut, error) {
	if claim {
		return frame.Call(ctx, f, op.Next, in)
	}
	return frame.Call(ctx, f, op.Peek, work.PeekIn{Project: in.Project, Under: in.Under, Apart: in.Apart})
}
