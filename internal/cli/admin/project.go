package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/op"
)

// NewProject returns the command `tasker project`.
func NewProject(f *frame.Factory) *cobra.Command {
	cmd := f.Group("project", "List projects, and administer them",
		"tasker project list", "tasker project create demo --name Demo", "tasker project set demo agentDefaults.lease 30m")
	cmd.AddCommand(
		newProjectList(f), newProjectCreate(f), newProjectShow(f), newProjectSet(f), newProjectUnset(f), newProjectSettings(f),
		newProjectRename(f), newProjectMerge(f), newProjectArchive(f), newProjectUnarchive(f), newProjectDelete(f),
	)
	return cmd
}

// administer carries out an operation that has no route.
func administer[In, Out any](ctx context.Context, f *frame.Factory, o op.Of[In, Out], in In, render func(*frame.Factory, Out)) error {
	if err := f.OnlyHere("project administration"); err != nil {
		return err
	}
	return frame.Do(ctx, f, o, in, render)
}

// slugOr returns the project that is named as an argument, else the one that the command line assumes.
func slugOr(ctx context.Context, f *frame.Factory, args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	return f.OneProject(ctx)
}
