package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/op"
)

func newProjectSet(f *frame.Factory) *cobra.Command {
	var from string
	cmd := f.Command(frame.Spec{
		Use: "set SLUG KEY VALUE", Short: op.ProjectSet.Summary,
		Args: func(cmd *cobra.Command, args []string) error {
			if from != "" {
				return frame.Exactly("a SLUG")(cmd, args)
			}
			return frame.Exactly("a SLUG", "a KEY", "a VALUE")(cmd, args)
		},
		Example: []string{"tasker project set demo agentDefaults.lease 30m", `tasker project set demo gates.ship '["test", "review"]'`, "tasker project set demo --from .tasker.json   # all policy of a file"},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		in := core.ProjectSetIn{Slug: args[0]}
		if from != "" {
			src, err := f.ReadFile(from)
			if err != nil {
				return err
			}
			in.From = src
		} else {
			in.Key, in.Value = args[1], &args[2]
		}
		return administer(ctx, f, op.ProjectSet, in, showSettings)
	})
	cmd.Flags().StringVar(&from, "from", "", "carry the policy of a configuration file over")
	cmd.ValidArgsFunction = completeSetting(f)
	return cmd
}

func newProjectUnset(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "unset SLUG KEY", Short: "Take a setting out of those that the database keeps for a project", Args: frame.Exactly("a SLUG", "a KEY"),
		Example: []string{"tasker project unset demo agentDefaults.lease"},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		return administer(ctx, f, op.ProjectSet, core.ProjectSetIn{Slug: args[0], Key: args[1]}, showSettings)
	})
	cmd.ValidArgsFunction = completeSetting(f)
	return cmd
}

// completeSetting offers a project, then a key of the configuration.
func completeSetting(f *frame.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return f.CompleteProjects(cmd, args, typed)
		case 1:
			return config.Keys(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
