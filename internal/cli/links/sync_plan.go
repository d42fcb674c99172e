package links

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core/linking"
	"tasker/internal/op"
	"tasker/internal/words"
)

// planOptions are what the command line gives `tasker sync plan`.
type planOptions struct{ dryRun bool }

func newPlan(f *frame.Factory) *cobra.Command {
	o := &planOptions{}
	cmd := f.Command(frame.Spec{
		Use: "plan", Short: op.SyncPlan.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker sync plan", "tasker sync plan --dry-run", "tasker sync plan --json"},
		Long: "Nothing is sent, and nothing is asked of the other system. What was changed here since the last pull is planned and\n" +
			"stored, so that each write has an id by which it can be dropped; with --dry-run nothing is stored.",
	}, func(ctx context.Context, f *frame.Factory, _ []string) error {
		if err := f.OnlyHere("sync plan"); err != nil {
			return err
		}
		slug, err := f.OneProject(ctx)
		if err != nil {
			return err
		}
		return frame.Do(ctx, f, op.SyncPlan, linking.PlanIn{Slug: slug, DryRun: o.dryRun}, showPlan)
	})
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be planned, and store nothing")
	return cmd
}

func showPlan(f *frame.Factory, out linking.PlanOut) {
	if len(out.Writes) == 0 {
		f.Say("Nothing is to be written for %s\n", out.Project)
	}
	for _, w := range out.Writes {
		showWrite(f, w)
	}
}

func showWrite(f *frame.Factory, w linking.Planned) {
	id := "new" // one that is not stored
	if w.ID != 0 {
		id = strconv.FormatInt(w.ID, 10)
	}
	f.Out.Spans(term.Bold.Of(id))
	f.Out.Printf("  %s %s (%s): %s becomes %s\n    %s\n", w.Ref, w.Field, w.Task, shown(w.From), shown(w.To), w.Why)
	if w.Error != "" {
		f.Out.Printf("    %s: %s\n", w.State, words.Shown(string(w.Error)))
	}
}
