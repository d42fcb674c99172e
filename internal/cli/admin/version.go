package admin

import (
	"context"
	"fmt"

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
		schema := fmt.Sprintf("schema %d", v.SchemaVersion)
		if v.SchemaVersion == 0 {
			schema = "no schema in the database yet, the first write makes it"
		}
		f.Out.Printf("tasker %s (%s, configuration format %d)\n", v.Version, schema, v.ConfigVersion)
		if url := f.ServerURL(); url != "" && v.Version != f.Wiring.Version {
			f.Warn([]string{"that is the server at " + url + ", and this program is version " + f.Wiring.Version})
		}
	})
}
