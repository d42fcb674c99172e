package admin

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"tasker/internal/cli/frame"
	"tasker/internal/exporter"
	"tasker/internal/fault"
	"tasker/internal/unfinished"
)

// archive is the file that pruned events go to, under another name until it is whole.
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

// close makes the archive last, reads it back, and gives it its name, under which there must be no file.
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
		return "", fault.New(fault.Internal, "the archive reads otherwise than it was written")
	}
	err = os.Link(a.tmp.Name(), a.path) // unlike a rename, it never replaces a file
	if errors.Is(err, fs.ErrExist) {
		return "", isThere(a.name)
	}
	if err != nil {
		return "", frame.Unwritable(a.name, err)
	}
	if d, err := os.Open(filepath.Dir(a.path)); err == nil {
		_ = d.Sync() // not every system can
		_ = d.Close()
	}
	return sum, nil
}
