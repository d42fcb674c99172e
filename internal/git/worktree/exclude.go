package worktree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/text/words"
)

// Exclude adds patterns to the exclude file of the repository, which is never committed, so that
// git does not list our files as new. It leaves existing patterns as they are. All work trees share
// the file.
func (r *Repo) Exclude(patterns ...string) error {
	path := filepath.Join(r.common, "info", "exclude")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := strings.Split(string(text), "\n")
	missing := slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return slices.Contains(lines, p) })
	if len(missing) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as git makes it
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // as git makes it
	if err != nil {
		return err
	}
	ended := lines[len(lines)-1] == ""                                                    // so does a file that is missing
	_, err = f.WriteString(words.When(!ended, "\n") + strings.Join(missing, "\n") + "\n") // one write: others may append too
	return errors.Join(err, f.Close())
}

// Pattern returns an exclude pattern that matches only the given path in a work tree.
func Pattern(path string) string {
	return "/" + strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `, "!", `\!`, "#", `\#`).Replace(filepath.ToSlash(path))
}
