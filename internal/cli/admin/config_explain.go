package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/config/format"
)

func newConfigExplain(f *frame.Factory) *cobra.Command {
	cmd := f.Command(frame.Spec{
		Use: "explain KEY", Short: "Explain a value: which layer set it, and what it overrode", Args: frame.Exactly("a KEY"),
		Example: []string{"tasker config explain agentDefaults.lease"},
	}, runConfigExplain)
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return format.Keys(), cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

func runConfigExplain(ctx context.Context, f *frame.Factory, args []string) error {
	eff, err := f.Effective(ctx)
	if err != nil {
		return err
	}
	x, err := eff.Explain(args[0])
	if err != nil {
		return err
	}
	return f.Answer(x, func() {
		f.Out.Printf("%s = %s\nset by %s\n", x.Key, string(x.Value), originWords(x.Origin))
		for _, o := range x.Overrode {
			f.Out.Printf("over %s in %s\n", string(o.Value), originWords(config.Origin{Layer: o.Layer, File: o.File}))
		}
	})
}
