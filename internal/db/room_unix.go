//go:build unix

package db

import (
	"io/fs"
	"syscall"
)

func (systemFiles) Room(path string) (int64, bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true //nolint:unconvert // has another type on other systems
}

func (systemFiles) Names(path string) (int64, bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(path, &s) != nil || s.Files == 0 { // not every file system counts them
		return 0, false
	}
	return int64(s.Ffree), true
}

func (systemFiles) Number(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino) //nolint:unconvert // has another type on other systems
	}
	return 0
}
