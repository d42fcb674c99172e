package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/op"
)

// dryRun adds the flag of commands that can say what they would write.
func dryRun(cmd *cobra.Command, dry *bool) {
	cmd.Flags().BoolVar(dry, "dry-run", false, "say what would be written, and write nothing")
}

// linked returns a command that shows one read of a project's links to other systems.
func linked[Out any](f *frame.Factory, s frame.Spec, o op.Of[core.ProjectIn, Out], render func(*frame.Factory, Out)) *cobra.Command {
	s.Short, s.Args = o.Summary, frame.Between(0, 0)
	return f.Command(s, func(ctx context.Context, f *frame.Factory, _ []string) error {
		slug, err := f.OneProject(ctx)
		if err != nil {
			return err
		}
		return frame.Do(ctx, f, o, core.ProjectIn{Slug: slug}, render)
	})
}
