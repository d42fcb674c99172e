package command

import (
	"os"
	"time"
)

// coarse is how far the times of files may lag behind the clock.
const coarse = 10 * time.Millisecond

// Before reports whether a file is there and was last touched before a moment.
func Before(path string, moment time.Time) bool {
	info, err := os.Lstat(path)
	return err == nil && touched(info).Add(coarse).Before(moment)
}
