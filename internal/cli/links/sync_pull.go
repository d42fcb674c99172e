package links

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/links"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// pullOptions holds the options of `tasker sync pull`.
type pullOptions struct{ dryRun bool }

func newSyncPull(f *frame.Factory) *cobra.Command {
	o := &pullOptions{}
	return f.Command(frame.Spec{
		Use: "pull", Here: "sync pull", Short: "Read what has changed at the tracker and the code host, and merge it", Args: frame.Between(0, 0),
		Example: []string{"tasker sync pull", "tasker sync pull --dry-run --json"},
		Long: "Credentials come from TASKER_TRACKER_URL, TASKER_TRACKER_USER and TASKER_TRACKER_TOKEN, and from TASKER_CODE_HOST_URL and\n" +
			"TASKER_CODE_HOST_TOKEN. Nothing is written before every page has come. A pull creates no tasks, and what another system does\n" +
			"not list is left alone. Each system is pulled by itself: one that fails appears in the answer with its error, and the exit\n" +
			"code is 1.",
		Flags: []frame.Flag{
			frame.Bool(&o.dryRun, "dry-run", "say what would change, and change nothing"),
		},
	}, o.run)
}

func (o *pullOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	ctx, s, slug, err := syncing(ctx, f)
	if err != nil {
		return err
	}
	bar := f.Progress("reading what has changed", 0)
	out, err := s.Pull(ctx, slug, o.dryRun, bar.To)
	bar.End()
	failed := slices.ContainsFunc(out, func(p links.Pulled) bool { return p.Error != "" })
	return f.AnsweredOr(err, out, !failed, frame.ErrExit(fault.ExitUnexpected), func() {
		for _, p := range out {
			showPulled(f, p)
		}
	})
}

func showPulled(f *frame.Factory, p links.Pulled) {
	f.Out.Spans(term.Bold.Of(p.System))
	if p.Error != "" {
		f.Out.Printf("  %s\n", p.Error)
		f.Say("What was pulled before stands. See the state of the links: %s\n", f.AsCommand(hint.Here("sync status")))
		return
	}
	if updated := words.Count(len(p.Updated), "task", "tasks"); p.System == merge.CodeHost { // it has neither conflicts nor planned writes
		f.Out.Printf("  %s read, %s updated\n", words.Count(p.Read, "pull request", "pull requests"), updated)
	} else {
		f.Out.Printf("  %s read, %s updated, %s, %s planned, %d unchanged\n", words.Count(p.Read, "issue", "issues"), updated,
			words.Count(p.Conflicts, "conflict", "conflicts"), words.Count(p.Planned, "write", "writes"), p.Unchanged)
	}
	for _, u := range p.Updated {
		f.Out.Printf("  %s: %s\n", u.Task, words.List(u.Fields))
	}
	f.Warn(p.Warnings)
	if p.Conflicts > 0 {
		f.Say("See them: %s\n", f.AsCommand(hint.Here("conflicts")))
	}
	if p.Planned > 0 {
		f.Say("See what would be written: %s\n", f.AsCommand(hint.Here("sync plan")))
	}
}

// syncing returns what syncs the command's project.
func syncing(ctx context.Context, f *frame.Factory) (context.Context, frame.Syncing, string, error) {
	slug, err := f.ProjectToWrite(ctx)
	if err != nil {
		return ctx, nil, "", err
	}
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return ctx, nil, "", err
	}
	return ctx, s.Sync, slug, nil
}

// trustOut is a host that credentials may go to, or no longer may.
type trustOut struct {
	Host    string `json:"host"`
	Trusted bool   `json:"trusted"`
	Changed bool   `json:"changed"`
}

func newSyncTrust(f *frame.Factory) *cobra.Command {
	var remove bool
	return f.Command(frame.Spec{
		Use: "trust HOST", Short: "Let credentials go to a host that only a configuration file names", Args: frame.Exactly("a HOST"),
		Example: []string{"tasker sync trust jira.example.com", "tasker sync trust jira.example.com --remove"},
		Long: "Credentials of the tracker, the code host, Vault and AWS go to sites that the environment names (TASKER_TRACKER_URL,\n" +
			"TASKER_CODE_HOST_URL, VAULT_ADDR, AWS_ENDPOINT_URL) and to the vendors' own hosts. Any other host, such as the baseUrl of a\n" +
			"repository's file, is confirmed by a person, once on each machine. HOST includes the port unless it is the default one.",
		Flags: []frame.Flag{
			frame.Bool(&remove, "remove", "take it back"),
		},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		if err := mayTrust(ctx, f); err != nil {
			return err
		}
		host, changed, err := f.Wiring.Confirm(args[0], remove)
		return f.Answered(err, trustOut{host, !remove, changed}, func() {
			if remove {
				f.Say("%s is no longer a confirmed host for credentials\n", host)
				return
			}
			f.Say("Credentials may go to %s from this machine\n", host)
		})
	})
}

// mayTrust refuses any actor that is not a person. If no human is declared, the user of the operating system counts as
// one, except in an agent's shell.
func mayTrust(ctx context.Context, f *frame.Factory) error {
	ctx, _, err := f.Caller(ctx)
	if err != nil {
		return err
	}
	who := core.CallerOf(ctx)
	if who.Actor.Person() {
		return nil
	}
	eff, err := f.FileSettings("")
	if err != nil {
		return err
	}
	if who.Assumed && who.Via.Agent == "" && !who.Actor.Declared && !eff.DeclaresHuman() {
		return nil
	}
	return fault.Decline("which hosts credentials may go to is for a human to decide").
		WithHint("ask a human to confirm the host at their own terminal")
}
