package links

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/core/linking"
	"tasker/internal/op"
	"tasker/internal/words"
)

func newPlan(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "plan", Short: op.SyncPlan.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker sync plan", "tasker sync plan --json"},
		Long:    "Nothing is sent, and nothing is asked of the other system.",
	}, func(ctx context.Context, f *frame.Factory, _ []string) error {
		if err := f.OnlyHere("sync plan"); err != nil {
			return err
		}
		slug, err := f.OneProject(ctx)
		if err != nil {
			return err
		}
		return frame.Do(ctx, f, op.SyncPlan, core.ProjectIn{Slug: slug}, showPlan)
	})
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
	f.Out.Spans(term.Bold.Of(fmt.Sprintf("%d", w.ID)))
	f.Out.Printf("  %s %s (%s): %s becomes %s\n    %s\n", w.Ref, w.Field, w.Task, shown(w.From), shown(w.To), w.Why)
	if w.Error != "" {
		f.Out.Printf("    %s: %s\n", w.State, words.Shown(string(w.Error)))
	}
}
