package links

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core/linking"
	"tasker/internal/fault"
	"tasker/internal/remedy"
	"tasker/internal/task/merge"
	"tasker/internal/words"
)

// pullOptions are what the command line gives `tasker sync pull`.
type pullOptions struct{ dryRun bool }

func newPull(f *frame.Factory) *cobra.Command {
	o := &pullOptions{}
	cmd := f.Command(frame.Spec{
		Use: "pull", Short: "Read what has changed at the tracker and the code host, and merge it", Args: frame.Between(0, 0),
		Example: []string{"tasker sync pull", "tasker sync pull --dry-run --json"},
		Long: "Credentials come from TASKER_TRACKER_URL, TASKER_TRACKER_USER and TASKER_TRACKER_TOKEN, and from TASKER_CODE_HOST_URL and\n" +
			"TASKER_CODE_HOST_TOKEN. Nothing is written before every page has come. A pull makes no tasks, and what another system does\n" +
			"not list is left alone. Each system is pulled by itself: one that fails stands in the answer with its error, and exit code 1\n" +
			"tells of it.",
	}, o.run)
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would change, and change nothing")
	return cmd
}

func (o *pullOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	ctx, s, slug, err := syncing(ctx, f, "sync pull")
	if err != nil {
		return err
	}
	bar := f.Progress("reading what has changed", 0)
	out, err := s.Pull(ctx, slug, o.dryRun, bar.To)
	bar.End()
	if err != nil {
		return err
	}
	err = f.Answer(out, func() {
		for _, p := range out {
			showPulled(f, p)
		}
	})
	if err == nil && slices.ContainsFunc(out, func(p linking.Pulled) bool { return p.Error != "" }) {
		return frame.ErrExit(fault.ExitUnexpected)
	}
	return err
}

func showPulled(f *frame.Factory, p linking.Pulled) {
	f.Out.Spans(term.Bold.Of(p.System))
	if p.Error != "" {
		f.Out.Printf("  %s\n", p.Error)
		f.Say("What was pulled before stands. See how the link fares: %s\n", f.AsCommand(remedy.Here("sync status")))
		return
	}
	if p.System == merge.CodeHost {
		f.Out.Printf("  %s read, %s updated\n", words.Count(p.Read, "pull request", "pull requests"), words.Count(len(p.Updated), "task", "tasks"))
		for _, u := range p.Updated {
			f.Out.Printf("  %s: %s\n", u.Task, words.List(u.Fields))
		}
		f.Warn(p.Warnings)
		return
	}
	f.Out.Printf("  %s read, %s updated, %s, %s planned, %d unchanged\n", words.Count(p.Read, "issue", "issues"),
		words.Count(len(p.Updated), "task", "tasks"), words.Count(p.Conflicts, "conflict", "conflicts"), words.Count(p.Planned, "write", "writes"), p.Unchanged)
	for _, u := range p.Updated {
		f.Out.Printf("  %s: %s\n", u.Task, words.List(u.Fields))
	}
	f.Warn(p.Warnings)
	if p.Conflicts > 0 {
		f.Say("See them: %s\n", f.AsCommand(remedy.Here("conflicts")))
	}
	if p.Planned > 0 {
		f.Say("See what would be written: %s\n", f.AsCommand(remedy.Here("sync plan")))
	}
}

// syncing returns what syncs the project that the command is about.
func syncing(ctx context.Context, f *frame.Factory, what string) (context.Context, frame.Syncing, string, error) {
	if err := f.OnlyHere(what); err != nil {
		return ctx, nil, "", err
	}
	slug, err := f.OneProject(ctx)
	if err != nil {
		return ctx, nil, "", err
	}
	ctx, _, err = f.Caller(ctx)
	if err != nil {
		return ctx, nil, "", err
	}
	s, err := f.Open(ctx)
	if err != nil {
		return ctx, nil, "", err
	}
	return ctx, s.Sync, slug, nil
}
