package admin

import (
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core/reading"
	"tasker/internal/op"
)

// NewConflicts returns the command `tasker conflicts`.
func NewConflicts(f *frame.Factory) *cobra.Command {
	return linked(f, frame.Spec{
		Use:     "conflicts",
		Example: []string{"tasker conflicts", "tasker conflicts --json"},
	}, op.Conflicts, func(f *frame.Factory, out reading.ConflictsOut) {
		if out.Total == 0 {
			f.Say("No two systems disagree on %s\n", out.Project)
		}
		for _, c := range out.Items {
			f.Out.Spans(term.Bold.Of(fmt.Sprintf("%d", c.ID)))
			f.Out.Printf("  %s %s: %v here, %v there\n", c.Task, c.Field, c.Ours, c.Theirs)
			for _, r := range c.Resolutions {
				f.Out.Printf("    tasker resolve %d %s: %s\n", c.ID, r.Name, r.Effect)
			}
		}
	})
}
