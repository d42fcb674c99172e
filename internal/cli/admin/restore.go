package admin

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/words"
)

// NewRestore returns the command `tasker restore`.
func NewRestore(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "restore FILE", Short: "Make a database of a backup, where there is none that holds a project", Args: frame.Exactly("a FILE"),
		Example: []string{"tasker restore tasker-2026-03-01.tar", "tasker restore tasker.tar --db /var/lib/tasker/tasker.db"},
		Long: "Every byte of the backup is checked first; one that was cut or changed is refused, and so is a database that holds a\n" +
			"project or that somebody uses. The database gets a new generation: every claim ends, every fence grows, and what was\n" +
			"to be delivered or written elsewhere is held until tasker notify flush or tasker sync push. A server that had the\n" +
			"old database open starts over with it.",
	}, runRestore)
}

func runRestore(ctx context.Context, f *frame.Factory, args []string) error {
	ctx, s, err := openHere(ctx, f, "restore")
	if err != nil {
		return err
	}
	out, err := s.Restore(ctx, inDir(f, args[0]))
	if err != nil {
		return err
	}
	out.Path = args[0]
	return f.Answer(out, func() {
		f.Say("%s and %s restored: everything up to event %d\n", words.Count(out.Tasks, "task", "tasks"),
			words.Count(out.Events, "event", "events"), out.LastEvent)
	})
}
