package admin

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// NewDB returns the command `tasker db`.
func NewDB(f *frame.Factory) *cobra.Command {
	cmd := f.Group("db", "See to the database itself", "tasker db status", "tasker db migrate")
	cmd.AddCommand(newDBStatus(f), newDBMigrate(f), newDBAccept(f), newDBVacuum(f))
	return cmd
}
