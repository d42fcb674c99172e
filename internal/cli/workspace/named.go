package workspace

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// maxNamed is how many warnings are remembered; older ones are forgotten, and given once more.
const maxNamed = 500

// named reports whether these files of a claim were named before, and remembers that they are now. It remembers on this machine
// alone, as the files are on it; where it cannot, nothing was named before.
func named(f *frame.Factory, t *task.Task, claimed task.Time, files []string) bool {
	what := append([]string{f.Database(), string(t.ID), claimed.String()}, files...)
	mark := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(what, "\x00"))))
	path := filepath.Join(f.Wiring.StateDir(), "outside")
	text, _ := frame.ReadSmall(path) // what cannot be read was not remembered
	marks := strings.Fields(string(text))
	if slices.Contains(marks, mark) {
		return true
	}
	marks = append(marks[max(0, len(marks)-maxNamed+1):], mark)
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		_ = frame.ReplaceFile(path, []byte(strings.Join(marks, "\n")+"\n")) // the warning is given again
	}
	return false
}
