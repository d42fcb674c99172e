package db

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"sync"
	"time"
)

// World is how a DB and its engines reach time, other goroutines, other processes and files. A simulation can replace it:
// nothing else in these packages reads a clock, sleeps, starts a goroutine, or locks or opens a file. A nil field means the
// operating system's own.
type World struct {
	Clock   Clock
	Waiting Waiting
	Start   Start
	Locks   Locks
	Files   Files
	Process int // the number by which others know this process
}

// Clock tells the time.
type Clock interface {
	Now() time.Time
}

// Waiting is how a goroutine waits for others and for time to pass.
type Waiting interface {
	// Wait returns nil once done is closed, or the error of ctx if that ends first.
	Wait(ctx context.Context, done <-chan struct{}) error
	// Sleep returns nil after d, or the error of ctx if that ends first.
	Sleep(ctx context.Context, d time.Duration) error
	// Yield lets other goroutines run.
	Yield()
}

// Start starts goroutines.
type Start interface {
	Go(fn func())
}

// Locks creates the locks that are held while others may have to wait for a turn.
type Locks interface {
	// Mutex returns a lock for the goroutines of this process.
	Mutex() sync.Locker
	// Queue opens the lock files next to a database on which processes wait for their turn.
	Queue(path string) (Queue, error)
	// Staying reports whether another process stays with the database: see Queue. This process must not.
	Staying(path string) bool
}

// Queue is where processes wait for their turn on a file, in order of arrival.
type Queue interface {
	// Take waits for the turn, as long as a and ctx allow, and leaves word of who has it.
	Take(ctx context.Context, a Asking) error
	// Holder says who has the turn.
	Holder() Holder
	Give()
	// Stay shows others, until Close, that this process has the database open for writing, and Others reports whether
	// another process shows that. Both are called in a turn.
	Stay()
	Others() bool
	Close()
}

// Files handles files by name. Their content is the engine's.
type Files interface {
	Stat(path string) (fs.FileInfo, error)
	// Lstat is Stat, but of a symbolic link itself and not of what it leads to.
	Lstat(path string) (fs.FileInfo, error)
	// Resolve returns the path without symbolic links that a path leads to. What is missing at its end stays as it is, and so
	// does a path that cannot be followed.
	Resolve(path string) string
	// Same reports whether two descriptions are of one file.
	Same(a, b fs.FileInfo) bool
	// MakeDirs creates a directory and its parents, accessible only to the owner.
	MakeDirs(path string) error
	// Create creates an empty file, accessible only to the owner. It fails with fs.ErrExist if the file exists.
	Create(path string) error
	Remove(path string) error
	// Begin returns the first n bytes of a file, or all of a shorter one. The file must not be open as a database in this
	// process, because its locks would be lost.
	Begin(path string, n int) ([]byte, error)
	// Locked reports whether another process has locked any of n bytes of a file, if that can be determined. The file must
	// not be open in this process, because its locks would be lost.
	Locked(path string, from, n int64) bool
	// Hold opens a file for reading, to look at it while an engine has it open too. It does not follow a symbolic link.
	Hold(path string) (Held, error)
	// Write replaces the content of a file, accessible only to the owner. It does not follow a symbolic link.
	Write(path string, content []byte) error
	// Number returns the number by which the file system identifies a file; 0 if there is none.
	Number(info fs.FileInfo) uint64
	// Room returns how many bytes are free at a path, if that is known.
	Room(path string) (bytes int64, known bool)
	// Names returns how many more files can be created at a path, if that is known.
	Names(path string) (free int64, known bool)
	// SyncDir makes the names in a directory durable. It does nothing if the system does not support that.
	SyncDir(path string)
}

// Held is a file that stays open until no engine of this process has it open any more: whoever closes it earlier drops the
// engine's locks.
type Held interface {
	Stat() (fs.FileInfo, error)
	io.ReaderAt
	// Locked reports whether another process has locked any of n bytes, if that can be determined.
	Locked(from, n int64) bool
	// Nameless reports whether the file has no name any more, and disappears when it is closed.
	Nameless() bool
	Close() error
}

// filled returns the world with the operating system's own parts for nil fields.
func (w World) filled() World {
	return World{
		Clock: cmp.Or[Clock](w.Clock, systemClock{}), Waiting: cmp.Or[Waiting](w.Waiting, runtimeWaiting{}), Start: cmp.Or[Start](w.Start, goroutines{}),
		Locks: cmp.Or[Locks](w.Locks, systemLocks{}), Files: cmp.Or[Files](w.Files, systemFiles{}), Process: cmp.Or(w.Process, thisProcess()),
	}
}
