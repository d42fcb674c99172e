package looking

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/task"
)

// listOptions are what the command line gives `tasker list`.
type listOptions struct {
	in             reading.ListIn
	ready, blocked frame.BoolFlag
	limit, prio    frame.IntFlag[int]
	status, state  *frame.Choice
}

// NewList returns the command `tasker list`.
func NewList(f *frame.Factory) *cobra.Command {
	o := &listOptions{status: frame.OneOf("", task.Statuses), state: frame.OneOf("", task.States)}
	cmd := f.Command(frame.Spec{
		Use: "list", Short: op.List.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker list", "tasker list --status in_progress --held-by claude", "tasker list --blocked", "tasker list --q parser --json"},
	}, o.run)
	fs := cmd.Flags()
	fs.Var(o.status, "status", "only of this status")
	fs.Var(o.state, "state", "only of this state, of which every task has one")
	fs.StringVar(&o.in.HeldBy, "held-by", "", "only what this actor holds")
	fs.StringVar(&o.in.Parent, "parent", "", "only the parts of this task")
	fs.StringVar(&o.in.DependsOn, "depends-on", "", "only what waits for this task")
	fs.StringVar(&o.in.DependencyOf, "dependency-of", "", "only what this task waits for")
	fs.StringVar(&o.in.Key, "key", "", "only the task with this key")
	fs.StringVar(&o.in.Q, "q", "", "only with this text in title, key or id")
	frame.AddBool(fs, &o.ready, "ready", "only what is ready (--ready=false: only what is not)")
	frame.AddBool(fs, &o.blocked, "blocked", "only open tasks that wait for a dependency or a part (--blocked=false: only what does not)")
	fs.BoolVar(&o.in.Overdue, "overdue", false, "only open tasks whose due date has passed")
	fs.Var(&o.prio, "priority", "only of this priority, 0 to 3")
	fs.StringVar(&o.in.Gate, "gate", "", "only with this gate")
	fs.Var(&o.limit, "limit", "how many to show, up to 1000 (default 50)")
	fs.StringVar(&o.in.Cursor, "cursor", "", "go on where the last page ended")
	return cmd
}

func (o *listOptions) run(ctx context.Context, f *frame.Factory, _ []string) (err error) {
	if o.in.Project, err = f.ProjectWith(ctx, &o.in.Parent, &o.in.DependsOn, &o.in.DependencyOf); err != nil {
		return err
	}
	o.in.State, o.in.Priority = o.state.Value, o.prio.N
	o.in.Status, o.in.Limit, o.in.Ready, o.in.Blocked = o.status.Value, o.limit.N, o.ready.B, o.blocked.B
	out, err := tasksOf(ctx, f, o.in)
	if err != nil {
		return err
	}
	return f.Answer(out, func() {
		render.Tasks(f, out.Tasks)
		switch {
		case len(out.Tasks) == 0 && out.NextCursor != "":
			f.Say("None of the tasks that were looked at fits; go on with --cursor %s\n", out.NextCursor)
		case out.Total == 0:
			f.Say("No task in %s fits\n", out.Project)
		case out.NextCursor != "":
			more := ""
			if out.TotalMore {
				more = "+"
			}
			f.Say("%d of %d%s; more with --cursor %s\n", len(out.Tasks), out.Total, more, out.NextCursor)
		}
	})
}
