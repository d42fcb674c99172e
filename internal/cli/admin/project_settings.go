package admin

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/op"
	"tasker/internal/words"
)

func newProjectSettings(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "settings [SLUG]", Short: op.ProjectSettings.Summary, Args: frame.Between(0, 1),
		Example: []string{"tasker project settings demo"},
	}, runProjectSettings)
	cmd.ValidArgsFunction = f.CompleteProjects
	return cmd
}

func runProjectSettings(ctx context.Context, f *frame.Factory, args []string) error {
	slug, err := slugOr(ctx, f, args)
	if err != nil {
		return err
	}
	return administer(ctx, f, op.ProjectSettings, core.ProjectIn{Slug: slug}, showSettings)
}

func showSettings(f *frame.Factory, out admin.SettingsOut) {
	if len(out.LeftOut) > 0 {
		f.Warn([]string{"left out, because it counts from the file of the machine that runs it and never from the database: " + words.List(out.LeftOut)})
	}
	if r := out.Record; r != nil {
		policy, _ := f.JSON(r.Policy)
		f.Out.Printf("policy of record, from %s, %s: %s\n", r.File, render.Ago(f, r.At), string(policy))
	}
	if len(out.Settings) == 0 {
		f.Say("The database keeps no settings for %s\n", out.Project)
		return
	}
	for _, k := range slices.Sorted(maps.Keys(out.Settings)) {
		value, _ := f.JSON(out.Settings[k]) // what was read as JSON can be written as it
		f.Out.Printf("%s = %s\n", k, string(value))
	}
}
