package work

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/work"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

// releaseOptions are what the command line gives `tasker release`.
type releaseOptions struct {
	note   frame.TextFlag
	failed bool
	fence  *frame.IntFlag[int64]
}

// NewRelease returns the command `tasker release`.
func NewRelease(f *frame.Factory) *cobra.Command {
	o := &releaseOptions{}
	cmd := f.Command(frame.Spec{
		Use: "release [ID…]", Short: op.Release.Summary, IDs: true, Many: true, Args: frame.Between(0, -1),
		Example: []string{"tasker release demo-4", `tasker release demo-4 --failed --note "the fixture is missing"`},
	}, o.run)
	cmd.Flags().Var(&o.note, "note", "what the next worker should know (- reads standard input)")
	cmd.Flags().BoolVar(&o.failed, "failed", false, "count it as a failed attempt")
	o.fence = frame.AddFence(cmd.Flags())
	return cmd
}

func (o *releaseOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	text, err := f.Given(o.note)
	if err != nil {
		return err
	}
	in := work.ReleaseIn{Failed: o.failed, Note: text}
	type released struct {
		id  string
		out work.ReleaseOut
	}
	var done []released
	return frame.Each(ctx, f, args, func(ctx context.Context, id string) (work.ReleaseOut, error) {
		var err error
		if in.Fence, err = f.Fence(ctx, o.fence, id); err != nil {
			return work.ReleaseOut{}, err
		}
		in.Task = id
		out, err := frame.Call(ctx, f, op.Release, in)
		done = append(done, released{id, out})
		return out, err
	}, func(f *frame.Factory, _ work.ReleaseOut) {
		r := done[0]
		done = done[1:]
		if r.out.Actor == "" {
			f.Say("%s was held by nobody\n", r.id)
			return
		}
		f.Say("%s is released; %s held it\n", r.id, r.out.Actor)
		f.Echo(ctx, task.ID(r.id), "", remedy.Command("claim "+r.id))
	})
}
