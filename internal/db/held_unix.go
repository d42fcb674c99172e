//go:build unix

package db

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"tasker/internal/fault"
)

// noFollow is the flag of a file that is not opened through a symbolic link.
const noFollow = syscall.O_NOFOLLOW

// held is an open file.
type held struct{ *os.File }

func (systemFiles) Hold(path string) (Held, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil, err
	}
	return held{f}, nil
}

func (h held) Locked(from, n int64) bool {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: from, Len: n}
	return syscall.FcntlFlock(h.Fd(), syscall.F_GETLK, &lock) == nil && lock.Type != syscall.F_UNLCK
}

func (h held) Nameless() bool {
	var s syscall.Stat_t
	return syscall.Fstat(int(h.Fd()), &s) == nil && s.Nlink == 0
}

func (systemFiles) Locked(path string, from, n int64) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return held{f}.Locked(from, n)
}

// openLock opens a file that processes lock and leave word in. It creates a missing one, and neither follows a link nor
// writes into anything but a file: whoever may create names in the directory would choose what is overwritten.
func openLock(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, notALock(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		if info, bad := os.Lstat(path); bad == nil && info.Mode()&fs.ModeSymlink != 0 { // it has just been made
			return nil, notALock(path)
		}
		return nil, err
	}
	return f, nil
}

func notALock(path string) error {
	return fault.Decline("%s, with which processes take turns, is a link or otherwise no file, and nothing is written through it", path).
		WithHint("find out who made it, and remove it: tasker makes a file in its place")
}
