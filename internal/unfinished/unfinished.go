// Package unfinished makes files that have a temporary name, or none, until they are complete. A
// process holds the lock of its file while it works on it, and the lock ends with the process. So
// the next process can recognize what a killed one left behind, and removes it.
package unfinished

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
)

// Kind says what a file will become.
type Kind string

// The kinds.
const (
	Backup  Kind = "backup"  // a backup
	Data    Kind = "data"    // what a backup is made of
	Restore Kind = "restore" // a database restored from a backup
	Events  Kind = "events"  // an event archive
	Export  Kind = "export"  // the output of an export
	Pull    Kind = "pull"    // answers of another system
	Record  Kind = "record"  // the record of a workspace
)

// companions lists the suffixes of files made next to an unfinished file: a database made from it, and
// the files that SQLite and our queue keep next to a database.
var companions = []string{
	"-journal", "-wal", "-shm", "-queue", "-queue-2", "-queue-3", "-turn",
	Database + "-journal", Database + "-wal", Database + "-shm",
	Database + "-queue", Database + "-queue-2", Database + "-queue-3", Database + "-turn", Database,
}

// Database is the suffix of a database made from an unfinished file.
const Database = ".db"

// named matches the name of an unfinished file, and the suffix of a file next to it.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\.tasker-(?:backup|data|restore|events|export|pull|record)-[0-9]+)(.*)$`)
})

// File is a file that this process works on.
type File struct{ *os.File }

// ErrTaken means that other processes were clearing the directory and took every new file for an
// abandoned one.
var ErrTaken = errors.New("other processes are clearing its directory at the same time")

// maxTaken is how many new files other processes may remove. Each process mistakes at most one for
// abandoned.
const maxTaken = 10

// Create makes an empty file in a directory, readable only by this user.
func Create(dir string, kind Kind) (*File, error) {
	for range maxTaken {
		f, err := os.CreateTemp(dir, ".tasker-"+string(kind)+"-*")
		if err != nil {
			return nil, err
		}
		if usable(f) {
			return &File{f}, nil
		}
		_ = f.Close()
	}
	return nil, ErrTaken
}

// Nameless makes a file that disappears when the process ends, however it ends.
func Nameless(kind Kind) (*File, error) {
	f, err := Create(os.TempDir(), kind)
	if err == nil && os.Remove(f.Name()) != nil { // systems that keep the names of open files do not let one be removed
		Sweep(os.TempDir())
	}
	return f, err
}

// Discard closes the file and removes it and the files next to it. It goes last: while it exists,
// the others are in use.
func (f *File) Discard() {
	for _, suffix := range companions {
		_ = os.Remove(f.Name() + suffix)
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// Rename gives the file its final name and replaces any file there.
func (f *File) Rename(path string) error { return rename(f.File, path) }

// usable reports whether a new file can be written because no process took it for abandoned.
// Without locks it always can: no process can take it.
func usable(f *os.File) bool {
	return !errors.Is(lock(f), errLocked) && isAt(f, f.Name())
}

// errLocked means that another process holds the lock.
var errLocked = errors.New("another process has locked the file")

// isAt reports whether name is still this file.
func isAt(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, there)
}

// Sweep removes abandoned files from a directory and returns their names. It leaves files with
// other names, files that are not regular, and files that cannot be removed.
func Sweep(dir string) (removed []string) {
	d, err := os.Open(dir)
	if err != nil {
		return nil // the write that follows reports why
	}
	defer func() { _ = d.Close() }()
	const atOnce = 1000
	for {
		page, err := d.ReadDir(atOnce)
		for _, e := range page {
			name := named().FindStringSubmatch(e.Name())
			if name == nil || !e.Type().IsRegular() || name[2] != "" && !slices.Contains(companions, name[2]) {
				continue
			}
			if sweep(filepath.Join(dir, name[1]), name[2]) {
				removed = append(removed, e.Name())
			}
		}
		if err != nil {
			return removed
		}
	}
}

// sweep removes a file that no process works on, or one next to it.
func sweep(path, suffix string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) && suffix != "" {
		return os.Remove(path+suffix) == nil
	}
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	if lock(f) != nil || !isAt(f, path) {
		return false
	}
	if suffix != "" {
		return os.Remove(path+suffix) == nil
	}
	return remove(f, path) == nil
}

// Advice says what a person can do about a file that cannot be written.
func Advice(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "make room on its disk: it has no bytes or no inodes left (df -h and df -i show which)"
	}
	return "check the permissions of its directory"
}
