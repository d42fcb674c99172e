package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/core/reading"
	"tasker/internal/op"
)

// NewVersion returns the command `tasker version`.
func NewVersion(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "version", Short: op.Version.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker version", "tasker version --json"},
	}, runVersion)
}

func runVersion(ctx context.Context, f *frame.Factory, _ []string) error {
	f.WithoutConfiguration() // whoever asks for the version may have a file that this binary cannot read
	return frame.Do(ctx, f, op.Version, core.None{}, func(f *frame.Factory, v reading.VersionOut) {
		f.Out.Printf("tasker %s (schema %d, configuration format %d)\n", v.Version, v.SchemaVersion, v.ConfigVersion)
		if url := f.ServerURL(); url != "" && v.Version != f.Wiring.Version {
			f.Warn([]string{"that is the server at " + url + ", and this program is version " + f.Wiring.Version})
		}
	})
}
