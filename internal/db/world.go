package db

import (
	"context"
	"io/fs"
	"sync"
	"time"
)

// World is how a DB and its engines reach time, other goroutines, other processes and files. A simulation stands in for
// it: nothing else in these packages reads a clock, sleeps, starts a goroutine, locks a file or opens one. What a field
// leaves nil is the operating system's own.
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
	// Wait returns nil once done is closed, and the error of ctx where that ends first.
	Wait(ctx context.Context, done <-chan struct{}) error
	// Sleep returns nil after d, and the error of ctx where that ends first.
	Sleep(ctx context.Context, d time.Duration) error
	// Yield lets other goroutines run.
	Yield()
}

// Start starts goroutines.
type Start interface {
	Go(fn func())
}

// Locks makes the locks that are held while others may have to wait for a turn.
type Locks interface {
	// Mutex returns a lock among the goroutines of this process.
	Mutex() sync.Locker
	// Queue opens the locks beside a file on which processes wait for their turn.
	Queue(path string) (Queue, error)
}

// Queue is where processes wait for their turn on a file, in the order in which they came.
type Queue interface {
	// Take waits for the turn, as long as a says and ctx lasts, and leaves word of who has it.
	Take(ctx context.Context, a Asking) error
	// Holder tells who has the turn.
	Holder() Holder
	Give()
	Close()
}

// Files is what is done to files by their names. What is in them is the engine's.
type Files interface {
	Stat(path string) (fs.FileInfo, error)
	// Same reports whether two descriptions are of one file.
	Same(a, b fs.FileInfo) bool
	// MakeDirs makes a directory and those above it, for the owner alone.
	MakeDirs(path string) error
	// Create makes an empty file for the owner alone. It fails with fs.ErrExist where there is one.
	Create(path string) error
	Remove(path string) error
	// Begin returns the first n bytes of a file, or all of a shorter one. A database must not be open in this process: its locks
	// would be lost.
	Begin(path string, n int) ([]byte, error)
	// Locked reports whether another process has a lock on some of n bytes of a file, where that can be told. The file must
	// not be open in this process: its locks would be lost.
	Locked(path string, from, n int64) bool
	// Write writes a file anew, for the owner alone.
	Write(path string, content []byte) error
	// Number is what the system knows a file by on its disk; 0 where that cannot be told.
	Number(info fs.FileInfo) uint64
	// Room is how many bytes are free where a path lies, where that can be told.
	Room(path string) (bytes int64, known bool)
	// Names is how many more files can be made where a path lies, where that can be told.
	Names(path string) (free int64, known bool)
	// SyncDir makes the names in a directory last. It does nothing where that cannot be had.
	SyncDir(path string)
}

// filled is the world with the operating system's own parts where nothing else was given.
func (w World) filled() World {
	if w.Clock == nil {
		w.Clock = systemClock{}
	}
	if w.Waiting == nil {
		w.Waiting = runtimeWaiting{}
	}
	if w.Start == nil {
		w.Start = goroutines{}
	}
	if w.Locks == nil {
		w.Locks = systemLocks{}
	}
	if w.Files == nil {
		w.Files = systemFiles{}
	}
	if w.Process == 0 {
		w.Process = thisProcess()
	}
	return w
}
