package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
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

// effective returns the merged settings of the project, those that the database stores for it included.
func effective(ctx context.Context, f *frame.Factory) (*config.Effective, error) {
	loaded, err := f.Configuration()
	if err != nil {
		return nil, err
	}
	return loaded.For(loaded.Project(), dbLayer(ctx, f, loaded.Project()))
}

// dbLayer returns the settings that the database stores for a project. Where the database cannot be asked, a warning
// says that they are left out: the rest can be shown all the same.
func dbLayer(ctx context.Context, f *frame.Factory, slug string) []byte {
	switch {
	case slug == "" || f.NoDatabase():
		return nil
	case f.ServerURL() != "":
		f.Warn([]string{"the db layer is left out: it is known where the database is, and not through a server"})
		return nil
	}
	out, err := frame.Call(ctx, f, op.ProjectSettings, core.ProjectIn{Slug: slug})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	var layer []byte
	if err == nil {
		layer, err = f.JSON(out.Settings)
	}
	if err != nil {
		f.Warn([]string{"the db layer is left out: " + fault.Of(err).Message})
		return nil
	}
	return layer
}
