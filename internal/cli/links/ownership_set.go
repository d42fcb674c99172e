package links

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/linking"
	"tasker/internal/op"
	"tasker/internal/task/merge"
)

func newOwnershipSet(f *frame.Factory) *cobra.Command {
	var dry bool
	cmd := f.Command(frame.Spec{
		Use: "set PRESET|FIELD=OWNER…", Short: op.OwnershipSet.Summary, Args: frame.Between(1, 100, "a PRESET or FIELD=OWNER"),
		Example: []string{"tasker ownership set split", "tasker ownership set title=local status=tracker"},
		Long: "The presets: local (we own everything), tracker (the tracker owns what it can hold), split (the tracker owns title, body,\n" +
			"severity, due, sprint, rank and priority; we own status and the rest). Where nothing is set it is split in a project that\n" +
			"is linked to a tracker, and local in any other. A preset replaces what was set for single fields.",
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return setOwnership(ctx, f, args, dry)
	})
	dryRun(cmd, &dry)
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return merge.Presets, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

func setOwnership(ctx context.Context, f *frame.Factory, args []string, dry bool) error {
	if err := f.OnlyHere("ownership set"); err != nil {
		return err
	}
	slug, err := f.OneProject(ctx)
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.OwnershipSet, linking.OwnershipSetIn{Slug: slug, Changes: args, DryRun: dry}, showOwnership)
}
