package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/config/tree"
	"tasker/internal/fault"
	"tasker/internal/remedy"
)

// configMigration is what config migrate answers.
type configMigration struct {
	File    string `json:"file"`
	Written bool   `json:"written"`
	*config.Migration
}

// configMigrateOptions are what the command line gives `tasker config migrate`.
type configMigrateOptions struct {
	write bool
}

func newConfigMigrate(f *frame.Factory) *cobra.Command {
	o := &configMigrateOptions{}
	cmd := f.Command(frame.Spec{
		Use: "migrate", Short: "Bring a configuration file without a version to version 1", Args: frame.Between(0, 0),
		Example: []string{"tasker config migrate", "tasker config migrate --write"},
		Long:    "It shows the difference; --write applies it. Order and formatting of the file stay.",
	}, o.run)
	cmd.Flags().BoolVar(&o.write, "write", false, "write the file")
	return cmd
}

func (o *configMigrateOptions) run(_ context.Context, f *frame.Factory, _ []string) error {
	seen, err := config.Paths(f.ConfigOptions())
	if err != nil {
		return err
	}
	file := ""
	for _, c := range seen {
		if c.Used && c.Layer == tree.FileLayer {
			file = c.Path
		}
	}
	if file == "" {
		return fault.Missing("there is no configuration file here").WithHint("make one: %s", remedy.Command("config init"))
	}
	text, err := f.Wiring.Files.ReadFile(file)
	if err != nil {
		return fault.Bad("%s cannot be read: %v", file, err).WithCause(err)
	}
	m, err := config.Migrate(file, text)
	if err != nil {
		return err
	}
	if o.write && m.Diff != "" {
		if err := frame.ReplaceFile(file, m.Out); err != nil {
			return err
		}
	}
	return f.Answer(configMigration{file, o.write && m.Diff != "", m}, func() {
		switch {
		case m.Diff == "":
			f.Say("%s is of version 1 already\n", file)
		case o.write:
			f.Out.Block("", m.Diff)
			f.Say("Wrote %s\n", file)
		default:
			f.Out.Block("", m.Diff)
			f.Say("Nothing is written yet: %s\n", f.AsCommand(remedy.Command("config migrate --write")))
		}
	})
}
