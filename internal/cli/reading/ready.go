package reading

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/task"
)

// readyOptions are what the command line gives `tasker ready`.
type readyOptions struct {
	limit frame.IntFlag[int]
}

// NewReady returns the command `tasker ready`.
func NewReady(f *frame.Factory) *cobra.Command {
	o := &readyOptions{}
	cmd := f.Command(frame.Spec{
		Use: "ready", Short: op.Ready.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker ready", "tasker ready --limit 5 --json"},
	}, o.run)
	cmd.Flags().Var(&o.limit, "limit", "how many to show, up to 1000 (default 50)")
	return cmd
}

func (o *readyOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	project, err := f.OneProject(ctx)
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Ready, reading.ReadyIn{Slug: project, Limit: o.limit.N}, func(f *frame.Factory, out reading.ReadyOut) {
		render.Tasks(f, out.Tasks)
		if out.Total == 0 {
			f.Say("Nothing is ready in %s\n", out.Project)
		} else if out.Total > len(out.Tasks) {
			f.Say("%d of %d ready, by %s\n", len(out.Tasks), out.Total, task.SelectWords(out.SelectedBy))
		}
	})
}
