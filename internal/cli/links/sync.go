package links

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/links"
	"tasker/internal/op"
	"tasker/internal/text/words"
)

// NewSync returns the command `tasker sync`.
func NewSync(f *frame.Factory) *cobra.Command {
	return f.Group(frame.Spec{
		Use: "sync", Short: "Keep tasks and another system's records in step",
		Example:  []string{"tasker sync status", "tasker sync pull", "tasker sync push"},
		Commands: []*cobra.Command{newSyncStatus(f), newSyncPull(f), newSyncPlan(f), newSyncPush(f), newSyncLog(f), newSyncRetry(f), newSyncDrop(f), newSyncTrust(f)},
	})
}

func newSyncStatus(f *frame.Factory) *cobra.Command {
	return linked(f, frame.Spec{Use: "status", Example: []string{"tasker sync status", "tasker sync status --json"}}, op.Sync, showSync)
}

func showSync(f *frame.Factory, out links.SyncOut) {
	if len(out.Links) == 0 {
		f.Say("%s is linked to no other system\n", out.Project)
		return
	}
	for _, l := range out.Links {
		f.Out.Line(term.Bold.Of(l.System), term.Textf("  %s  credentials %s: %d to write, %d refused, %s", l.URL, l.Auth, l.PendingWrites,
			l.FailedWrites, words.Count(l.Conflicts, "conflict", "conflicts")))
		f.Out.Printf("  %s\n", words.Either(l.LastPull != 0, "pulled "+render.Ago(f, l.LastPull), "never pulled"))
		if l.Error != "" {
			f.Out.Printf("  the last look failed: %s\n", l.Error)
		}
	}
	if out.Loop != nil {
		f.Out.Printf("A server pulls every %d s, %s\n", out.Loop.EveryMs/1000,
			words.Either(out.Loop.LastRun != 0, "the last time "+render.Ago(f, out.Loop.LastRun), "it has not yet"))
	}
}

func newSyncPlan(f *frame.Factory) *cobra.Command {
	return linked(f, frame.Spec{
		Use: "plan", Here: "sync plan",
		Example: []string{"tasker sync plan", "tasker sync plan --json"},
		Long:    "Nothing is sent, and the other system is not asked.",
	}, op.SyncPlan, showPlan)
}

func showPlan(f *frame.Factory, out links.PlanOut) {
	if len(out.Writes) == 0 {
		f.Say("There is nothing to write for %s\n", out.Project)
	}
	for _, w := range out.Writes {
		showWrite(f, w)
	}
}

func showWrite(f *frame.Factory, w links.Planned) {
	f.Out.Line(term.Bold.Of(fmt.Sprint(w.ID)), term.Textf("  %s %s (%s): %s becomes %s", w.Ref, w.Field, w.Task, shown(w.From), shown(w.To)))
	f.Out.Printf("    %s\n", w.Why)
	if w.Error != "" {
		f.Out.Printf("    %s: %s\n", w.State, words.Shown(string(w.Error)))
	}
}

// pushOptions holds the options of `tasker sync push`.
type pushOptions struct{ dryRun bool }

func newSyncPush(f *frame.Factory) *cobra.Command {
	o := &pushOptions{}
	return f.Command(frame.Spec{
		Use: "push", Here: "sync push", Short: "Write to the tracker what is planned", Args: frame.Between(0, 0),
		Example: []string{"tasker sync push", "tasker sync push --json"},
		Long: "Each write looks first: if the issue has changed since it was planned, it becomes a conflict. A write that fails for now\n" +
			"is tried again by a later push, not before its time; one that the tracker refuses has failed until it is retried or dropped.\n" +
			"Exit code 3 means that something was refused.",
		Flags: []frame.Flag{
			frame.Bool(&o.dryRun, "dry-run", "say what would be sent, and send nothing"),
		},
	}, o.run)
}

func (o *pushOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	ctx, s, slug, err := syncing(ctx, f)
	if err != nil {
		return err
	}
	out, err := s.Push(ctx, slug, o.dryRun)
	var plan links.PlanOut
	if err == nil && o.dryRun {
		plan, err = frame.Call(ctx, f, op.SyncPlan, core.ProjectIn{Slug: slug})
	}
	return f.AnsweredOr(err, out, out.Failed == 0, frame.ErrExit(fault.ExitDeclined), func() {
		if o.dryRun {
			showPlan(f, plan)
			return
		}
		f.Say("%d sent, %d refused, %d to be tried again\n", out.Sent, out.Failed, out.Pending)
		if out.Failed > 0 {
			f.Say("See why: %s\n", f.AsCommand(hint.Here("sync plan")))
		}
	})
}

func newSyncLog(f *frame.Factory) *cobra.Command {
	var limit *int
	return frame.Operation(f, frame.Spec{
		Use: "log", Here: "sync log", Args: frame.Between(0, 0),
		Example: []string{"tasker sync log", "tasker sync log --limit 500 --json"},
		Flags: []frame.Flag{
			frame.MaybeInt(&limit, "limit", "how many to show, up to 1000 (default 50)"),
		},
	}, op.SyncLog, func(a *frame.Args, _ []string) links.LogIn { return links.LogIn{Slug: a.Project(), Limit: limit} }, func(f *frame.Factory, all []links.Entry) {
		for _, e := range all {
			f.Out.Printf("%d  %s  %s %s %s %s: %s -> %s, %s%s\n", e.ID, render.Ago(f, e.At), e.Direction, e.Ref, e.Task, e.Field,
				shown(e.From), shown(e.To), e.Outcome, words.When(e.Error != "", ": "+words.Shown(string(e.Error))))
		}
	})
}

func newSyncRetry(f *frame.Factory) *cobra.Command {
	return newOnWrite(f, "retry", op.SyncRetry, "will be tried again", "would be tried again")
}

func newSyncDrop(f *frame.Factory) *cobra.Command {
	return newOnWrite(f, "drop", op.SyncDrop, "is given up", "would be given up")
}

// newOnWrite returns a command that acts on one outbound write.
func newOnWrite(f *frame.Factory, name string, o op.Of[links.WriteIn, links.Planned], said, would string) *cobra.Command {
	var dry bool
	return frame.Operation(f, frame.Spec{
		Use: name + " ID", Here: "sync " + name, Args: frame.Exactly("the ID of a write"),
		Example: []string{"tasker sync " + name + " 120"},
		Flags:   []frame.Flag{dryRun(&dry)},
	}, o, func(a *frame.Args, args []string) links.WriteIn {
		return links.WriteIn{ID: number(a, args[0], "a write", "sync plan"), DryRun: dry}
	}, func(f *frame.Factory, w links.Planned) {
		f.Say("%d (%s of %s) %s\n", w.ID, w.Field, w.Ref,
			words.Either(w.DryRun, would+": "+shown(w.From)+" becomes "+shown(w.To), said))
	})
}

// dryRun is --dry-run, for commands that can show what they would write.
func dryRun(dry *bool) frame.Flag {
	return frame.Bool(dry, "dry-run", "say what would be written, and write nothing")
}

// linked returns a command that shows one read of a project's links to other systems.
func linked[Out any](f *frame.Factory, s frame.Spec, o op.Of[core.ProjectIn, Out], render func(*frame.Factory, Out)) *cobra.Command {
	s.Args = frame.Between(0, 0)
	return frame.Operation(f, s, o, func(a *frame.Args, _ []string) core.ProjectIn { return core.ProjectIn{Slug: a.Project()} }, render)
}
