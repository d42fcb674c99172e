package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/views/reading"
)

// NewVersion returns the command `tasker version`.
func NewVersion(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "version", Short: op.Version.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker version", "tasker version --json"},
	}, runVersion)
}

func runVersion(ctx context.Context, f *frame.Factory, _ []string) error {
	f.WithoutConfiguration() // people ask for the version when this binary cannot read their file
	return frame.Do(ctx, f, op.Version, core.None{}, func(f *frame.Factory, v reading.VersionOut) {
		f.Out.Printf("tasker %s (schema %d, configuration format %d)\n", v.Version, v.SchemaVersion, v.ConfigVersion)
		if url := f.ServerURL(); url != "" && v.Version != f.Wiring.Version {
			f.Warn([]string{"that is the server at " + url + ", and this program is version " + f.Wiring.Version})
		}
	})
}

// upgradeSteps is the answer of upgrade.
type upgradeSteps struct {
	Version string   `json:"version"`
	Program string   `json:"program"`
	Steps   []string `json:"steps"`
}

// NewUpgrade returns the command `tasker upgrade`.
func NewUpgrade(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "upgrade", Short: "Print how this binary is upgraded", Args: frame.Between(0, 0), Example: []string{"tasker upgrade"},
		Long: "It prints the steps and does nothing itself.",
	}, runUpgrade)
}

func runUpgrade(_ context.Context, f *frame.Factory, _ []string) error {
	h := upgradeSteps{f.Wiring.Version, f.Process.Program, []string{"git pull", "make install"}}
	return f.Answer(h, func() {
		f.Out.Printf("This is tasker %s, at %s. To upgrade it, in the checkout that it was built from:\n", h.Version, h.Program)
		for _, s := range h.Steps {
			f.Out.Printf("  %s\n", s)
		}
		f.Out.Printf("A SQLite database moves to the newer schema at the next command, after a backup next to it; for PostgreSQL run %s.\n",
			f.AsCommand(hint.Command("db migrate")))
	})
}
