package looking

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

func NewList(f *frame.Factory) *cobra.Command {
	var in core.ListIn
	var ready, blocked frame.BoolFlag
	var limit frame.IntFlag[int]
	status := frame.OneOf("", task.Statuses)
	cmd := f.Command(frame.Spec{
		Use: "list", Short: op.List.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker list", "tasker list --status in_progress --held-by claude", "tasker list --blocked", "tasker list --q parser --json"},
	}, func(ctx context.Context, f *frame.Factory, _ []string) (err error) {
		if in.Project, err = f.OneProject(ctx); err != nil {
			return err
		}
		for _, name := range []*string{&in.Parent, &in.DependsOn, &in.DependencyOf} {
			if *name == "" {
				continue
			}
			if *name, err = f.TaskArg(ctx, *name); err != nil {
				return err
			}
		}
		in.Status, in.Limit, in.Ready, in.Blocked = status.Value, limit.N, ready.B, blocked.B
		return frame.Do(ctx, f, op.List, in, func(f *frame.Factory, out core.ListOut) {
			render.Tasks(f, out.Tasks)
			switch {
			case out.Total == 0:
				f.Say("No task in %s fits\n", out.Project)
			case out.NextCursor != "":
				f.Say("%d of %d; more with --cursor %s\n", len(out.Tasks), out.Total, out.NextCursor)
			}
		})
	})
	fs := cmd.Flags()
	fs.Var(status, "status", "only of this status")
	fs.StringVar(&in.HeldBy, "held-by", "", "only what this actor holds")
	fs.StringVar(&in.Parent, "parent", "", "only the parts of this task")
	fs.StringVar(&in.DependsOn, "depends-on", "", "only what waits for this task")
	fs.StringVar(&in.DependencyOf, "dependency-of", "", "only what this task waits for")
	fs.StringVar(&in.Q, "q", "", "only with this text in title, key or id")
	frame.Maybe(fs, &ready, "ready", "only what is ready (--ready=false: only what is not)")
	frame.Maybe(fs, &blocked, "blocked", "only what waits for an open task (--blocked=false: only what does not)")
	fs.Var(&limit, "limit", "how many to show, up to 1000 (default 50)")
	fs.StringVar(&in.Cursor, "cursor", "", "go on where the last page ended")
	return cmd
}
