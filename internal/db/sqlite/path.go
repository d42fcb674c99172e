package sqlite

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"tasker/internal/fault"
)

// smallest is the size of the smallest database, one page.
const smallest = 512

// present returns the file to open, nil where there is none or an empty one. What cannot be a database is refused
// before anything is opened.
func (e *Engine) present() (fs.FileInfo, error) {
	info, err := e.world.Files.Stat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, e.pathError(err)
	case info.IsDir():
		return nil, fault.Bad("%s is a directory and not a database", e.path).
			WithHint("set TASKER_DB to a file in it: %s", filepath.Join(e.path, "tasker.db"))
	case !info.Mode().IsRegular():
		return nil, fault.Bad("%s is not a file", e.path).WithHint("set TASKER_DB to another path")
	}
	switch size := info.Size(); {
	case size == 0:
		return nil, nil
	case size < smallest: // the engine takes it for an empty one, and would write over it
		return nil, notADatabase(e.path)
	}
	return info, e.replaced(info)
}

// replaced refuses a file that was put in the place of the one we opened, beside that one's log: SQLite would write what is
// in the log over the new file, and nobody would be told.
func (e *Engine) replaced(info fs.FileInfo) error {
	if met := e.met.Load(); met != nil && e.same(*met, info) {
		return nil
	}
	meetings.Lock()
	defer meetings.Unlock()
	met := e.met.Load()
	switch {
	case met == nil:
		if meetings.of[e.path] == 0 {
			if err := e.meet(info); err != nil {
				return err
			}
		}
		meetings.of[e.path]++
	case !e.same(*met, info):
		if log, err := e.world.Files.Stat(e.path + "-wal"); err == nil && log.Size() > 0 {
			return beside(e.path)
		}
	}
	e.met.Store(&info)
	return nil
}

// meetings counts, for each path, the engines of this process that have met its file: one that is open must not be opened
// by other means (see the package's comment), and whoever has met it has looked at it.
var meetings = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// part is called when nothing of the engine is open any more.
func (e *Engine) part() {
	meetings.Lock()
	defer meetings.Unlock()
	if e.met.Swap(nil) == nil {
		return
	}
	if meetings.of[e.path]--; meetings.of[e.path] == 0 {
		delete(meetings.of, e.path)
	}
}

// gone is the outage of a file that was there when this process opened it.
func gone(path string) error {
	return fault.Unready("the database %s is gone", path).
		WithHint("put it back where it was (its volume may not be mounted), or stop what uses it and begin a new one")
}

// create makes the file and the directories above it, for nobody else to read; a file that is there stays.
func (e *Engine) create() error {
	dir := filepath.Dir(e.path)
	if err := e.world.Files.MakeDirs(dir); err != nil {
		return e.pathError(err)
	}
	err := e.world.Files.Create(e.path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return e.pathError(err)
	}
	// Its name has to last as well as what is written to it.
	e.world.Files.SyncDir(dir)
	e.world.Files.SyncDir(filepath.Dir(dir))
	return nil
}
