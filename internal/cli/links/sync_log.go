package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core/linking"
	"tasker/internal/op"
	"tasker/internal/words"
)

// logOptions are what the command line gives `tasker sync log`.
type logOptions struct{ limit frame.IntFlag[int] }

func newLog(f *frame.Factory) *cobra.Command {
	o := &logOptions{}
	cmd := f.Command(frame.Spec{
		Use: "log", Short: op.SyncLog.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker sync log", "tasker sync log --limit 500 --json"},
	}, o.run)
	cmd.Flags().Var(&o.limit, "limit", "how many to show, up to 1000 (default 50)")
	return cmd
}

func (o *logOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("sync log"); err != nil {
		return err
	}
	slug, err := f.OneProject(ctx)
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.SyncLog, linking.LogIn{Slug: slug, Limit: o.limit.N}, func(f *frame.Factory, all []linking.Entry) {
		for _, e := range all {
			f.Out.Printf("%d  %s  %s %s %s %s: %s -> %s, %s", e.ID, render.Ago(f, e.At), e.Direction, e.Ref, e.Task, e.Field,
				shown(e.From), shown(e.To), e.Outcome)
			if e.Error != "" {
				f.Out.Printf(": %s", words.Shown(string(e.Error)))
			}
			f.Out.Printf("\n")
		}
	})
}
