package cli

import "github.com/spf13/cobra"

func (f *factory) newConfig() *cobra.Command {
	return f.group("config", "See, check and explain the configuration", "tasker config show")
}
