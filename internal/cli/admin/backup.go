package admin

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/text/words"
	"tasker/internal/transfer/exporter"
	"tasker/internal/unfinished"
)

// NewBackup returns the command `tasker backup`.
func NewBackup(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "backup FILE", Here: "backup", Args: frame.Exactly("a FILE"),
		Short:   "Write a consistent snapshot of the whole database to a file, while others keep writing",
		Example: []string{"tasker backup tasker-$(date +%F).tar", "tasker backup /backups/tasker.tar --json"},
		Long: "The file is a tar of a manifest and the data, with checksums. Only its owner can read it, and it never replaces another\n" +
			"file. It holds the state after one event: everything up to lastEvent, and nothing later. A backup of PostgreSQL holds\n" +
			"every record except sessions. tasker restore FILE loads it into an empty database.",
	}, runBackup)
}

func runBackup(ctx context.Context, f *frame.Factory, args []string) error {
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return err
	}
	out, err := s.Backup(ctx, f.Path(args[0]))
	out.Path = args[0]
	return f.Answered(err, out, func() {
		f.Warn(out.Warnings)
		f.Say("%s written to %s: everything up to event %d\nSHA-256 %s\n", words.Count(int(out.Bytes), "byte", "bytes"), out.Path, out.LastEvent, out.Sum)
	})
}

// NewRestore returns the command `tasker restore`.
func NewRestore(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "restore FILE", Here: "restore", Args: frame.Exactly("a FILE"),
		Short:   "Create a database from a backup, unless it already holds a project",
		Example: []string{"tasker restore tasker-2026-03-01.tar", "tasker restore tasker.tar --db /var/lib/tasker/tasker.db"},
		Long: "Every byte of the backup is checked first; one that was cut or changed is refused, and so is a database that holds a\n" +
			"project or that is in use, and data with triggers or views. The database gets a new generation: every claim and every\n" +
			"session ends, every fence grows, and what was to be delivered or written elsewhere is held until tasker notify flush\n" +
			"or tasker sync push. A server that had the old database open starts over with it. Anybody may restore; but in the\n" +
			"shell of an agent, where a project in the backup declares a human, only a person who is named.",
	}, runRestore)
}

func runRestore(ctx context.Context, f *frame.Factory, args []string) error {
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return err
	}
	out, err := s.Restore(ctx, f.Path(args[0]))
	out.Path = args[0]
	return f.Answered(err, out, func() {
		f.Say("%s and %s restored: everything up to event %d\n", words.Count(out.Tasks, "task", "tasks"),
			words.Count(out.Events, "event", "events"), out.LastEvent)
	})
}

// archive is the file that receives pruned events. It has a temporary name until it is complete.
type archive struct {
	path, name string
	tmp        *unfinished.File
	buffer     *bufio.Writer
	lines      *exporter.EventLines
}

func newArchive(path, name string) (*archive, error) {
	tmp, err := unfinished.Create(filepath.Dir(path), unfinished.Events)
	if errors.Is(err, unfinished.ErrTaken) {
		return nil, fault.Unready("%s cannot be written: other commands clear its directory at the same time", name).WithHint("run it again once they have ended")
	}
	if err != nil {
		return nil, frame.Unwritable(name, err)
	}
	buffer := bufio.NewWriterSize(tmp, 64<<10)
	return &archive{path, name, tmp, buffer, exporter.NewEventLines(buffer)}, nil
}

// close syncs the archive to disk, reads it back, and gives it its final name. It fails if a file of that name exists.
func (a *archive) close() (string, error) {
	sum, err := a.lines.End()
	if err = errors.Join(err, a.buffer.Flush(), a.tmp.Sync()); err != nil {
		return "", frame.Unwritable(a.name, err)
	}
	back, err := os.Open(a.tmp.Name())
	if err != nil {
		return "", err
	}
	defer func() { _ = back.Close() }()
	_, read, err := exporter.CheckEvents(bufio.NewReaderSize(back, 64<<10))
	if err != nil {
		return "", err
	}
	if read != sum {
		return "", fault.New(fault.Internal, "the archive does not read back as it was written")
	}
	err = os.Link(a.tmp.Name(), a.path) // unlike a rename, it never replaces a file
	if errors.Is(err, fs.ErrExist) {
		return "", isThere(a.name)
	}
	if err != nil {
		return "", frame.Unwritable(a.name, err)
	}
	if d, err := os.Open(filepath.Dir(a.path)); err == nil {
		_ = d.Sync() // not every system supports this
		_ = d.Close()
	}
	return sum, nil
}
