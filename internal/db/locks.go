package db

import (
	"os"
	"sync"
)

// systemLocks uses Go's mutexes and the operating system's file locks.
type systemLocks struct{}

func thisProcess() int { return os.Getpid() }

func (systemLocks) Mutex() sync.Locker               { return &sync.Mutex{} }
func (systemLocks) Queue(path string) (Queue, error) { return openQueue(path) }
