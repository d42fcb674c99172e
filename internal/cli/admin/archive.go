package admin

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/exporter"
	"tasker/internal/fault"
)

// unfinished is how the names of archives begin that are not whole; digits follow.
const unfinished = ".tasker-events-"

// archive is the file that pruned events go to, under another name until it is whole.
type archive struct {
	path, name string
	tmp        *os.File
	buffer     *bufio.Writer
	lines      *exporter.EventLines
}

// maxTaken is how many new archives may be taken away by other prunes, of which each takes one for abandoned at most once.
const maxTaken = 10

func newArchive(path, name string) (*archive, error) {
	for range maxTaken {
		tmp, err := os.CreateTemp(filepath.Dir(path), unfinished+"*") // for nobody else to read
		if err != nil {
			return nil, frame.Unwritable(name, err)
		}
		if usable(tmp) {
			buffer := bufio.NewWriterSize(tmp, 64<<10)
			return &archive{path, name, tmp, buffer, exporter.NewEventLines(buffer)}, nil
		}
		_ = tmp.Close()
	}
	return nil, fault.Unready("%s cannot be written: other prunes clear its directory at the same time", name).WithHint("run it again once they have ended")
}

// usable reports whether a new archive can be written: no other prune took it for an abandoned one. Where the file system has no
// locks it can, because nobody can take it there.
func usable(f *os.File) bool {
	return !errors.Is(lock(f), errTaken) && isAt(f, f.Name())
}

// errTaken is the error of a lock that somebody else has.
var errTaken = errors.New("somebody else has the lock of the file")

// isAt reports whether a file still has its name.
func isAt(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, there)
}

// sweepArchives removes archives that were never finished, and that nobody is writing, from a directory, and returns their names.
// What is not named as we name them, is no plain file, or cannot be removed stays.
func sweepArchives(dir string) (removed []string) {
	d, err := os.Open(dir)
	if err != nil {
		return nil // writing there says why
	}
	defer func() { _ = d.Close() }()
	const atOnce = 1000
	for {
		page, err := d.ReadDir(atOnce)
		for _, e := range page {
			digits, ours := strings.CutPrefix(e.Name(), unfinished)
			if ours && digits != "" && strings.Trim(digits, "0123456789") == "" && e.Type().IsRegular() && sweep(filepath.Join(dir, e.Name())) {
				removed = append(removed, e.Name())
			}
		}
		if err != nil {
			return removed
		}
	}
}

// sweep removes a file that nobody is writing.
func sweep(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return lock(f) == nil && isAt(f, path) && remove(f, path) == nil
}

// discard removes what is not needed under its other name.
func (a *archive) discard() {
	_ = a.tmp.Close()
	_ = os.Remove(a.tmp.Name())
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
