package db

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// systemClock is the machine's clock.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// ClockFunc returns a Clock that calls now; nil for nil.
func ClockFunc(now func() time.Time) Clock {
	if now == nil {
		return nil
	}
	return clockFunc(now)
}

type clockFunc func() time.Time

func (f clockFunc) Now() time.Time { return f() }

// goroutines starts functions at once.
type goroutines struct{}

func (goroutines) Go(fn func()) { go fn() }

// systemFiles uses the operating system's files.
type systemFiles struct{}

func (systemFiles) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }
func (systemFiles) Lstat(path string) (fs.FileInfo, error) {
	return os.Lstat(path)
}
func (systemFiles) Same(a, b fs.FileInfo) bool { return os.SameFile(a, b) }
func (systemFiles) MakeDirs(path string) error { return os.MkdirAll(path, 0o700) }
func (systemFiles) Remove(path string) error   { return os.Remove(path) }

func (systemFiles) Write(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|noFollow, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// maxLinks is how many links in a row Resolve follows.
const maxLinks = 40

func (systemFiles) Resolve(path string) string { return resolve(path, maxLinks) }

func resolve(path string, links int) string {
	followed, err := filepath.EvalSymlinks(path)
	if err == nil {
		return followed
	}
	if !errors.Is(err, fs.ErrNotExist) || links == 0 {
		return path
	}
	dir := resolve(filepath.Dir(path), links)
	at := filepath.Join(dir, filepath.Base(path))
	target, err := os.Readlink(at)
	if err != nil { // it is missing, and no link to something that is
		return at
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return resolve(target, links-1)
}

func (systemFiles) Begin(path string, n int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, int64(n)))
}

func (systemFiles) Create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

func (systemFiles) SyncDir(path string) {
	if d, err := os.Open(path); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// systemLocks uses Go's mutexes and the operating system's file locks.
type systemLocks struct{}

func thisProcess() int { return os.Getpid() }

func (systemLocks) Mutex() sync.Locker               { return &sync.Mutex{} }
func (systemLocks) Queue(path string) (Queue, error) { return openQueue(path) }
func (systemLocks) Staying(path string) bool         { return staying(path) }

// runtimeWaiting waits with Go's own means.
type runtimeWaiting struct{}

func (runtimeWaiting) Wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (runtimeWaiting) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (runtimeWaiting) Yield() { runtime.Gosched() }
