package reading

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/core/reading"
	"tasker/internal/op"
)

// projectView returns a command that shows one read of the project; watched ones take --watch.
func projectView[Out any](f *frame.Factory, s frame.Spec, o op.Of[reading.ProjectIn, Out], render func(*frame.Factory, Out), watched bool) *cobra.Command {
	in := func(slug string, limit *int) reading.ProjectIn { return reading.ProjectIn{Slug: slug, Limit: limit} }
	return projectViewOf(f, s, o, in, render, watched)
}

// projectViewOf is projectView of a read that takes more than a project and a limit, which in adds.
func projectViewOf[In, Out any](
	f *frame.Factory, s frame.Spec, o op.Of[In, Out], in func(slug string, limit *int) In, render func(*frame.Factory, Out), watched bool,
) *cobra.Command {
	var limit frame.IntFlag[int]
	var watch bool
	s.Short, s.Args = o.Summary, frame.Between(0, 0)
	cmd := f.Command(s, func(ctx context.Context, f *frame.Factory, _ []string) error {
		slug, err := f.OneProject(ctx)
		if err != nil {
			return err
		}
		paint := func(ctx context.Context) error {
			return frame.Do(ctx, f, o, in(slug, limit.N), render)
		}
		if watch {
			return follow.Watch(ctx, f, reading.EventsIn{Project: slug}, paint)
		}
		return paint(ctx)
	})
	cmd.Flags().Var(&limit, "limit", "how many to show of each, up to 1000 (default 50)")
	if watched {
		follow.AddWatch(cmd.Flags(), &watch)
	}
	return cmd
}
