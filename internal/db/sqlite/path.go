package sqlite

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// smallest is the size of the smallest database, one page.
const smallest = 512

// present returns the file to open, or nil if it is missing or empty. It refuses what cannot be a database before anything
// is opened.
func (e *Engine) present() (fs.FileInfo, error) {
	info, err := e.world.Files.Lstat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, e.orphaned("gone")
	case err != nil:
		return nil, e.pathError(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, moved(e.path)
	case info.IsDir():
		return nil, fault.Bad("%s is a directory and not a database", e.path).
			WithHint("set TASKER_DB to a file in it: %s", filepath.Join(e.path, "tasker.db"))
	case !info.Mode().IsRegular():
		return nil, fault.Bad("%s is not a file", e.path).WithHint("set TASKER_DB to another path")
	}
	switch size := info.Size(); {
	case size == 0:
		return nil, e.orphaned("empty")
	case size < smallest: // the engine would take it for an empty one and overwrite it
		return nil, notADatabase(e.path)
	}
	if err := e.named(info); err != nil {
		return nil, err
	}
	return info, e.acquaint(info)
}

// named refuses a file that the name we were given does not lead to any more: others who use that name use another file.
func (e *Engine) named(info fs.FileInfo) error {
	if e.given == e.path {
		return nil
	}
	if now, err := e.world.Files.Stat(e.given); err == nil && e.world.Files.Same(now, info) {
		return nil
	}
	return fault.Unready("%s does not lead to the database %s any more", e.given, e.path).
		WithHint("let it lead there again; or stop what uses that database, and start it on the one that is there now")
}

// orphaned refuses a log whose file is gone or empty: SQLite would remove it, and with it what was written last.
func (e *Engine) orphaned(how string) error {
	log, err := e.world.Files.Lstat(e.near.paths[0])
	if err != nil || log.Size() == 0 {
		return nil //nolint:nilerr // there is no log
	}
	return fault.Unready("the file of the database %s is %s, and the log of what was written to it last is still there", e.path, how).
		WithHint("put the file back (its volume may not be mounted); or stop what uses it, and move %s and %s away to begin a new one",
			e.near.paths[0], e.near.paths[1])
}

// moved returns the outage of a file that is somewhere else, and a link in its place: its log is still here, and whoever
// follows the link begins a second one.
func moved(path string) error {
	return fault.Unready("the database %s was moved while it is in use, and a link is in its place", path).
		WithHint("move it back; or stop everything that uses it without killing it, so that what it wrote goes into the file, and start again")
}

// metFile is a file that this process has met, and what shows that its content is still the same database.
type metFile struct {
	info  fs.FileInfo
	held  db.Held
	shown atomic.Int64 // the identity in the file itself

	logged atomic.Bool  // the file was seen to be used with a log
	own    atomic.Int64 // the identity of the database that is in it: see identity; 0 while it is not known
}

// meeting is the file at a path that engines of this process have met, and how many of them have. An open file must not be
// opened by other means (see the package's comment): one engine checks it for all of them, and what it opened for that is
// closed when no engine has the file open any more.
type meeting struct {
	file    *metFile
	engines int
	earlier []*metFile // that were replaced
}

// meetings are those of this process, by path.
var meetings = struct {
	sync.Mutex
	of map[string]*meeting
}{of: map[string]*meeting{}}

// acquaint checks a file before it is opened for the first time, and checks of a known one that it is still the same. It
// refuses a file that has replaced the one we opened, next to that one's log: SQLite would write the content of the log over
// the new file, and nobody would notice.
func (e *Engine) acquaint(info fs.FileInfo) error {
	if met := e.met.Load(); met != nil && e.same(met.info, info) {
		return e.overwritten(met)
	}
	meetings.Lock()
	defer meetings.Unlock()
	m := meetings.of[e.path]
	if m == nil || !e.same(m.file.info, info) {
		file, err := e.meet(info, m == nil)
		if err != nil {
			return err
		}
		if m == nil {
			m = new(meeting)
			meetings.of[e.path] = m
		} else {
			m.earlier = append(m.earlier, m.file)
		}
		m.file = file
	}
	if e.met.Swap(m.file) == nil {
		m.engines++
	}
	return nil
}

// part is called when nothing of the engine is open any more.
func (e *Engine) part() {
	meetings.Lock()
	defer meetings.Unlock()
	if e.met.Swap(nil) == nil {
		return
	}
	m := meetings.of[e.path]
	if m.engines--; m.engines > 0 {
		return
	}
	delete(meetings.of, e.path)
	for _, f := range append(m.earlier, m.file) {
		_ = f.held.Close()
	}
}

// there refuses to go on where the path does not lead to the file any more that we have open, or that file has the content
// of another.
func (e *Engine) there() error {
	met := e.met.Load()
	if met == nil {
		return nil
	}
	info, err := e.world.Files.Lstat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return gone(e.path)
	case err != nil:
		return e.pathError(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return moved(e.path)
	case !e.same(met.info, info):
		return foreignLog(e.path)
	}
	return e.overwritten(met)
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
