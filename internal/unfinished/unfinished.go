// Package unfinished makes files that have another name, or none, until they are whole. A process has the lock of its file for as
// long as it works on it, and the lock ends with the process: so the next process can tell what a killed one has left
// behind, and takes it away.
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

// Kind is what a file will be.
type Kind string

// The kinds.
const (
	Backup  Kind = "backup"  // a backup
	Data    Kind = "data"    // what a backup is made of
	Restore Kind = "restore" // a database that comes out of a backup
	Events  Kind = "events"  // an archive of events
	Export  Kind = "export"  // what an export prints
	Pull    Kind = "pull"    // what another system has answered
)

// beside are how the names end of what is made next to an unfinished file: a database that is made of it, and what SQLite and our
// queue keep next to a database.
var beside = func() (out []string) {
	suffixes := []string{"-journal", "-wal", "-shm", "-queue", "-queue-2", "-queue-3", "-turn"}
	for _, database := range []string{"", Database} {
		for _, suffix := range suffixes {
			out = append(out, database+suffix)
		}
	}
	return append(out, Database)
}()

// Database is how the name of a database ends that is made of an unfinished file.
const Database = ".db"

// named matches the name of an unfinished file, and what stands after it in the name of a file next to it.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\.tasker-(?:backup|data|restore|events|export|pull)-[0-9]+)(.*)$`)
})

// File is one that this process works on.
type File struct{ *os.File }

// ErrTaken is the error where others clear the directory at the same time, and took every new file for an abandoned one.
var ErrTaken = errors.New("others clear its directory at the same time")

// maxTaken is how many new files may be taken away by others, of which each takes one for abandoned at most once.
const maxTaken = 10

// Create makes an empty file in a directory, for nobody else to read.
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

// Nameless makes a file that is gone when the process ends, however it ends.
func Nameless(kind Kind) (*File, error) {
	f, err := Create(os.TempDir(), kind)
	if err == nil && os.Remove(f.Name()) != nil { // no system that keeps the names of open files lets one be removed
		Sweep(os.TempDir())
	}
	return f, err
}

// Discard closes the file and takes it away with what was made next to it, itself last: while it is there, somebody works on the
// others.
func (f *File) Discard() {
	for _, suffix := range beside {
		_ = os.Remove(f.Name() + suffix)
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
}

// Rename gives the file its name, in the place of one that has it.
func (f *File) Rename(path string) error { return rename(f.File, path) }

// usable reports whether a new file can be written: nobody took it for an abandoned one. Where the file system has no locks it
// can, because nobody can take it there.
func usable(f *os.File) bool {
	return !errors.Is(lock(f), errLocked) && isAt(f, f.Name())
}

// errLocked is the error of a lock that somebody else has.
var errLocked = errors.New("somebody else has the lock of the file")

// isAt reports whether a file still has its name.
func isAt(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, there)
}

// Sweep removes from a directory the files that nobody works on any more, and returns their names. What is not named as we name
// them, is no plain file, or cannot be removed stays.
func Sweep(dir string) (removed []string) {
	d, err := os.Open(dir)
	if err != nil {
		return nil // writing there says why
	}
	defer func() { _ = d.Close() }()
	const atOnce = 1000
	for {
		page, err := d.ReadDir(atOnce)
		for _, e := range page {
			name := named().FindStringSubmatch(e.Name())
			if name == nil || !e.Type().IsRegular() || name[2] != "" && !slices.Contains(beside, name[2]) {
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

// sweep removes a file that nobody works on, or one next to it.
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

// Advice is what a person can do where a file cannot be written.
func Advice(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "make room on its disk: no byte is left there, or no inode (df -h and df -i tell which)"
	}
	return "check the permissions of its directory"
}
