package admin

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/words"
)

// NewBackup returns the command `tasker backup`.
func NewBackup(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "backup FILE", Short: "Write one state of the whole database to a file, while others go on writing", Args: frame.Exactly("a FILE"),
		Example: []string{"tasker backup tasker-$(date +%F).tar", "tasker backup /backups/tasker.tar --json"},
		Long: "The file is a tar of a manifest and the data, with checksums, readable by its owner alone, and never replaces another. It\n" +
			"holds the state that one event left: everything up to lastEvent, and nothing of what came after it. A backup of\n" +
			"PostgreSQL holds every record but sessions. tasker restore FILE puts it into an empty database.",
	}, runBackup)
}

func runBackup(ctx context.Context, f *frame.Factory, args []string) error {
	ctx, s, err := openHere(ctx, f, "backup")
	if err != nil {
		return err
	}
	out, err := s.Backup(ctx, inDir(f, args[0]))
	if err != nil {
		return err
	}
	out.Path = args[0]
	return f.Answer(out, func() {
		f.Say("%s written to %s: everything up to event %d\nSHA-256 %s\n", words.Count(int(out.Bytes), "byte", "bytes"), out.Path, out.LastEvent, out.Sum)
	})
}

// inDir returns a path that a person named.
func inDir(f *frame.Factory, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Process.Dir, name)
}

// openHere opens the database for what is done where it is, and not through a server.
func openHere(ctx context.Context, f *frame.Factory, name string) (context.Context, *frame.Session, error) {
	if err := f.OnlyHere(name); err != nil {
		return nil, nil, err
	}
	ctx, _, err := f.Caller(ctx)
	if err != nil {
		return nil, nil, err
	}
	s, err := f.Open(ctx)
	return ctx, s, err
}
