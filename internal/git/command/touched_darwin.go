package command

import (
	"os"
	"syscall"
	"time"
)

// touched returns when the file at this place last changed: its content, or its name, since a file that is moved
// here keeps the time of its content.
func touched(info os.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctimespec.Unix())
	}
	return info.ModTime()
}
