package links

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core/linking"
	"tasker/internal/op"
	"tasker/internal/words"
)

func newStatus(f *frame.Factory) *cobra.Command {
	return linked(f, frame.Spec{Use: "status", Example: []string{"tasker sync status", "tasker sync status --json"}}, op.Sync, showSync)
}

func showSync(f *frame.Factory, out linking.SyncOut) {
	if len(out.Links) == 0 {
		f.Say("%s is linked to no other system\n", out.Project)
		return
	}
	for _, l := range out.Links {
		f.Out.Spans(term.Bold.Of(l.System))
		f.Out.Printf("  %s  credentials %s: %d to write, %d refused, %s\n", l.URL, l.Auth, l.PendingWrites, l.FailedWrites,
			words.Count(l.Conflicts, "conflict", "conflicts"))
		last := "never pulled"
		if l.LastPull != 0 {
			last = "pulled " + render.Ago(f, l.LastPull)
		}
		f.Out.Printf("  %s\n", last)
		if l.Error != "" {
			f.Out.Printf("  the last look failed: %s\n", l.Error)
		}
	}
	if out.Loop != nil {
		last := "it has not yet"
		if out.Loop.LastRun != 0 {
			last = "the last time " + render.Ago(f, out.Loop.LastRun)
		}
		f.Out.Printf("A server pulls every %d s, %s\n", out.Loop.EveryMs/1000, last)
	}
}
