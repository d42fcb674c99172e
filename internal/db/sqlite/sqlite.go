// Package sqlite is the engine over one SQLite file: a writer connection, a pool of readers, and the queue of the processes
// that share the file. The first write creates the file; until then reads see an empty database.
//
// Nothing in this process may open and close the file by other means while an Engine has it: POSIX drops all of a process's
// locks on a file when any descriptor of it is closed, including the engine's. What the engine opens itself to look past
// SQLite is closed last (see meeting). What reads files that a setting names must ask Own first.
package sqlite

import (
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"zombiezen.com/go/sqlite"

	"tasker/internal/db"
	"tasker/internal/fault"
)

// oldest is the first SQLite version without the WAL-reset corruption that could hit several processes on one file.
const oldest = 3051003

// Engine implements db.Engine.
type Engine struct {
	given    string // the name of the file
	path     string // the file that the name leads to, without symbolic links: SQLite keeps its log next to that
	setup    db.Setup
	world    db.World
	patience time.Duration // with a program that does not queue with us

	turn   sync.Locker // held from Begin to Commit or Rollback, and by Migrate: guards what follows
	writer *conn
	queue  db.Queue

	met     atomic.Pointer[metFile] // the file that was there when it was last opened
	serving atomic.Bool             // the file is marked as in use
	doubt   atomic.Bool             // the file is a copy of one that was in use
	near    neighbours
	marked  marked // guarded by the turn

	pool   readers
	tidy   tidier
	damage db.Damage
}

var _ db.Engine = (*Engine)(nil)

// Open returns the engine of a file. It touches nothing before the first use. Symbolic links are followed once, here: the
// engine stays with the file that they lead to now.
func Open(path string, setup db.Setup) (*Engine, error) {
	if path == "" {
		return nil, fault.Bad("the path of the database is empty").WithHint("set TASKER_DB to a path or a postgres:// URL")
	}
	if sqlite.VersionNumber < oldest {
		return nil, fault.New(fault.Internal, "this tasker was built with SQLite %s, which is too old to be safe", sqlite.Version).
			WithHint("build it with the versions that go.mod names")
	}
	setup = setup.Filled()
	given := filepath.Clean(path)
	path = setup.World.Files.Resolve(given)
	e := &Engine{given: given, path: path, setup: setup, world: setup.World, patience: 5 * time.Second, turn: setup.World.Locks.Mutex()}
	e.near.paths = [2]string{path + "-wal", path + "-shm"}
	return e, nil
}

// Place returns the path of the file.
func (e *Engine) Place() string { return e.path }

// Setup returns the setup that the engine was opened with, with defaults filled in.
func (e *Engine) Setup() db.Setup { return e.setup }

// Latest returns the newest schema that this binary knows.
func (e *Engine) Latest() int { return len(e.setup.Migrations) }

// Absent reports that there is no file, or an empty one.
func (e *Engine) Absent() bool {
	file, err := e.present()
	return file == nil && err == nil
}

// Room returns how much is free next to the file.
func (e *Engine) Room() (bytes int64, known bool) { return e.world.Files.Room(filepath.Dir(e.path)) }

// Own returns the files of the database that are there: the file itself, its log and index, and those that processes lock.
// Nobody else in this process may open them.
func (e *Engine) Own() (own []fs.FileInfo) {
	for _, path := range []string{e.path, e.near.paths[0], e.near.paths[1], e.path + "-queue", e.path + "-turn"} {
		if info, err := e.world.Files.Lstat(path); err == nil {
			own = append(own, info)
		}
	}
	return own
}

// Close closes every connection. The last process to leave a file folds its log into it. A file that was removed would take
// the log with it, and one that another was copied into would become a mixture of both: their connections are left to the end
// of the process, and the log stays where it is.
func (e *Engine) Close() error {
	e.Settle()
	e.turn.Lock()
	defer e.turn.Unlock()
	if met := e.met.Load(); met != nil && (met.held.Nameless() || e.overwritten(met) != nil) {
		if e.queue != nil {
			e.queue.Close()
			e.queue = nil
		}
		return nil
	}
	e.pool.close()
	var err error
	if e.writer != nil {
		err = e.writer.close()
		e.writer = nil
	}
	if e.queue != nil {
		e.queue.Close()
		e.queue = nil
	}
	e.part()
	return e.explain(err)
}
