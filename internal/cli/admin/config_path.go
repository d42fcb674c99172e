package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
)

func newConfigPath(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "path", Short: "List the files that are considered, in order", Args: frame.Between(0, 0),
		Example: []string{"tasker config path"},
	}, runConfigPath)
}

func runConfigPath(_ context.Context, f *frame.Factory, _ []string) error {
	all, err := config.Paths(f.ConfigOptions())
	if err != nil {
		return err
	}
	return f.Answer(all, func() {
		for _, c := range all {
			switch {
			case c.Used:
				f.Out.Printf("%s  (%s, used)\n", c.Path, string(c.Layer))
			case c.Exists:
				f.Out.Printf("%s  (%s, not used)\n", c.Path, string(c.Layer))
			default:
				f.Out.Printf("%s  (%s, not there)\n", c.Path, string(c.Layer))
			}
		}
	})
}
