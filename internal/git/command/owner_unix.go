//go:build unix

package command

import (
	"os"
	"syscall"
)

// diskOf returns the file system that a directory is on. Git does not search for a repository
// beyond it.
func diskOf(dir string) (disk uint64, ok bool) {
	info, err := os.Stat(dir)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(stat.Dev), true //nolint:unconvert // its type differs by system
}

// ours reports whether the files belong to the user who runs this process. Git reads no repository
// of another user unless the user has marked it safe.
func ours(paths ...string) bool {
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return false
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Geteuid() {
			return false
		}
	}
	return true
}
