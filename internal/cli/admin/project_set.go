package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config/format"
	"tasker/internal/core/admin"
	"tasker/internal/op"
)

// projectSetOptions are what the command line gives `tasker project set`.
type projectSetOptions struct {
	from string
}

func newProjectSet(f *frame.Factory) *cobra.Command {
	o := &projectSetOptions{}
	cmd := f.Command(frame.Spec{
		Use: "set SLUG KEY VALUE", Short: op.ProjectSet.Summary,
		Args: func(cmd *cobra.Command, args []string) error {
			if o.from != "" {
				return frame.Exactly("a SLUG")(cmd, args)
			}
			return frame.Exactly("a SLUG", "a KEY", "a VALUE")(cmd, args)
		},
		Example: []string{
			"tasker project set demo agentDefaults.lease 30m",
			`tasker project set demo gates.ship '["test", "review"]'`,
			"tasker project set demo --from .tasker.json   # all policy of a file",
		},
	}, o.run)
	cmd.Flags().StringVar(&o.from, "from", "", "carry the policy of a configuration file over")
	cmd.ValidArgsFunction = completeSetting(f)
	return cmd
}

func (o *projectSetOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	in := admin.ProjectSetIn{Slug: args[0]}
	if o.from != "" {
		src, err := f.ReadFile(o.from, frame.MaxText)
		if err != nil {
			return err
		}
		in.From = src
	} else {
		in.Key, in.Value = args[1], &args[2]
	}
	return setting(ctx, f, in)
}

// setting changes settings of a project, and says what takes that back.
func setting(ctx context.Context, f *frame.Factory, in admin.ProjectSetIn) error {
	return administer(ctx, f, op.ProjectSet, in, func(f *frame.Factory, out admin.SettingsOut) {
		showSettings(f, out)
		frame.EchoTaken(ctx, f, in.Slug, "")
	})
}

// completeSetting offers a project, then a key of the configuration.
func completeSetting(f *frame.Factory) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		switch len(args) {
		case 0:
			return f.CompleteProjects(cmd, args, typed)
		case 1:
			return format.Keys(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
