package admin

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/words"
)

// NewSync returns the command `tasker sync`.
func NewSync(f *frame.Factory) *cobra.Command {
	cmd := f.Group("sync", "Keep tasks and another system's records alike", "tasker sync status")
	cmd.AddCommand(linked(f, frame.Spec{Use: "status", Example: []string{"tasker sync status", "tasker sync status --json"}}, op.Sync, showSync))
	return cmd
}

func showSync(f *frame.Factory, out reading.SyncOut) {
	if len(out.Links) == 0 {
		f.Say("%s is linked to no other system\n", out.Project)
		return
	}
	for _, l := range out.Links {
		f.Out.Spans(term.Bold.Of(l.System))
		f.Out.Printf("  %s  %s: %d to write, %d refused, %s\n", l.URL, l.Auth, l.PendingWrites, l.FailedWrites, words.Count(l.Conflicts, "conflict", "conflicts"))
	}
}
