package admin

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// NewConfig returns the command `tasker config`.
func NewConfig(f *frame.Factory) *cobra.Command {
	cmd := f.Group("config", "See, check and explain the configuration",
		"tasker config show", "tasker config explain agentDefaults.lease", "tasker config validate")
	cmd.AddCommand(
		newConfigShow(f), newConfigValidate(f), newConfigExplain(f), newConfigInit(f), newConfigMigrate(f), newConfigPath(f), newConfigSchema(f),
	)
	return cmd
}
