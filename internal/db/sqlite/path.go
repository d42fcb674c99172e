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

// present returns the file to open, or nil if it is missing or empty. It refuses what cannot be a database before anything
// is opened.
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
	case size < smallest: // the engine would take it for an empty one and overwrite it
		return nil, notADatabase(e.path)
	}
	return info, e.replaced(info)
}

// replaced refuses a file that has replaced the one we opened, next to that one's log: SQLite would write the content of
// the log over the new file, and nobody would notice.
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
			return foreignLog(e.path)
		}
	}
	e.met.Store(&info)
	return nil
}

// meetings counts, for each path, the engines of this process that have met its file: an open one must not be opened by
// other means (see the package's comment), and an engine that has met it has checked it.
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

// gone returns the outage of a file that was there when this process opened it.
func gone(path string) error {
	return fault.Unready("the database %s is gone", path).
		WithHint("put it back where it was (its volume may not be mounted), or stop what uses it and begin a new one")
}

// create creates the file and its parent directories, readable only by the owner; an existing file stays.
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
	// Its name has to be as durable as its content.
	e.world.Files.SyncDir(dir)
	e.world.Files.SyncDir(filepath.Dir(dir))
	return nil
}
