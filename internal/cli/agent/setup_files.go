package agent

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/setup"
)

// agentRoot returns the directory whose files the agent reads: the nearest, from the working directory up, that is a
// repository or has a configuration of ours, else the working directory.
func agentRoot(f *frame.Factory) string {
	for dir := f.Process.Dir; ; dir = filepath.Dir(dir) {
		for _, name := range []string{".git", config.FileName} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return dir
			}
		}
		if dir == filepath.Dir(dir) {
			return f.Process.Dir
		}
	}
}

// hereFiles reads the files below a directory.
type hereFiles string

// ReadFile reads a file by its path with slashes.
func (dir hereFiles) ReadFile(path string) ([]byte, error) {
	return frame.ReadSmall(filepath.Join(string(dir), filepath.FromSlash(path)))
}

// writeChanges writes every file whole. All are left as they were where one cannot be written, or has changed since the
// change was computed.
func writeChanges(root string, changes []setup.Change) error {
	for _, c := range changes {
		now, err := hereFiles(root).ReadFile(c.Path)
		if gone := errors.Is(err, fs.ErrNotExist); gone != (c.Before == nil) || !gone && (err != nil || !bytes.Equal(now, c.Before)) {
			return fault.Stale("%s has changed meanwhile", c.Path).WithHint("nothing was written; try again")
		}
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(c.Path))); c.Before == nil && err == nil {
			return fault.Decline("%s is a link that leads nowhere", c.Path).WithHint("nothing was written; remove it, or make what it leads to")
		}
	}
	for i, c := range changes {
		if err := writeChange(root, c.Path, c.After); err != nil {
			for _, done := range slices.Backward(changes[:i]) {
				_ = writeChange(root, done.Path, done.Before) // it could be written a moment ago
			}
			return err
		}
	}
	return nil
}

// writeChange writes a file, or removes it together with the directories that become empty.
func writeChange(root, name string, text []byte) error {
	path := filepath.Join(root, filepath.FromSlash(name))
	if text == nil {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return frame.Unwritable(name, err)
		}
		for dir := filepath.Dir(path); dir != root && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		}
		return nil
	}
	//nolint:gosec // a directory of the project is for all who work on it, as far as their umask says
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return frame.Unwritable(name, err)
	}
	return frame.ReplaceFile(path, text)
}
