package admin

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// NewSession returns the command `tasker session`.
func NewSession(f *frame.Factory) *cobra.Command {
	cmd := f.Group("session", "Make credentials for a server in session mode, list and end them",
		"tasker session create --actor claude --ttl 8h --project demo", "tasker session list", "tasker session revoke 42")
	cmd.AddCommand(newSessionCreate(f), newSessionList(f), newSessionRevoke(f))
	return cmd
}
