package admin

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/config/format"
)

func newConfigSchema(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "schema", Short: "Print the JSON Schema of the configuration file", Args: frame.Between(0, 0),
		Example: []string{"tasker config schema > tasker.schema.json"},
	}, runConfigSchema)
}

func runConfigSchema(_ context.Context, f *frame.Factory, _ []string) error {
	return f.Document(bytes.TrimRight(format.Schema(), "\n"))
}
