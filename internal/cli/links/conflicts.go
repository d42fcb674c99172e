package links

import (
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core/linking"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/words"
)

// NewConflicts returns the command `tasker conflicts`.
func NewConflicts(f *frame.Factory) *cobra.Command {
	return linked(f, frame.Spec{
		Use:     "conflicts",
		Example: []string{"tasker conflicts", "tasker conflicts --json"},
	}, op.Conflicts, func(f *frame.Factory, out linking.ConflictsOut) {
		if out.Total == 0 {
			f.Say("No two systems disagree on %s\n", out.Project)
		}
		for _, c := range out.Items {
			f.Out.Spans(term.Bold.Of(fmt.Sprintf("%d", c.ID)))
			f.Out.Printf("  %s %s: %s here, %s there, %s before", c.Task, c.Field, shown(c.Ours), shown(c.Theirs), shown(c.Base))
			if c.Deferred {
				f.Out.Printf("; deferred until either changes")
			}
			f.Out.Printf("\n")
			for _, r := range c.Resolutions {
				f.Out.Printf("    %s: %s\n", f.AsCommand(remedy.Here(fmt.Sprintf("resolve %d %s", c.ID, r.Name))), r.Effect)
			}
		}
	})
}

// shown returns a value of a field in a line.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return words.Quoted(words.Cut(v, 80))
	}
	return fmt.Sprint(v)
}
