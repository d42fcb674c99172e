package frame

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"tasker/internal/fault"
	"tasker/internal/unfinished"
)

// CreateFile writes a new file, whole or not at all. It declines where there is a file already.
func CreateFile(path string, text []byte) error {
	tmp, err := besideFile(path, text, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp) }()
	err = os.Link(tmp, path) // unlike a rename, it never replaces a file
	if errors.Is(err, fs.ErrExist) {
		return fault.Decline("%s is there already", path).WithHint("edit it, or remove it first")
	}
	return Unwritable(path, err)
}

// ReplaceFile replaces the text of a file, whole or not at all, and leaves its permissions.
func ReplaceFile(path string, text []byte) error {
	mode := fs.FileMode(0o644)
	if target, err := filepath.EvalSymlinks(path); err == nil { // a link stays a link
		path = target
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return replace(path, text, mode)
}

// WritePrivate makes or replaces a file that is the user's alone, whole or not at all.
func WritePrivate(path string, text []byte) error { return replace(path, text, 0o600) }

func replace(path string, text []byte, mode fs.FileMode) error {
	tmp, err := besideFile(path, text, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return Unwritable(path, err)
	}
	return nil
}

// besideFile writes a file of another name in the same directory, and returns its path.
func besideFile(path string, text []byte, mode fs.FileMode) (string, error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tasker-*")
	if err != nil {
		return "", Unwritable(path, err)
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err != nil {
		_ = os.Remove(tmp.Name())
		return "", Unwritable(path, err)
	}
	return tmp.Name(), nil
}

// Unwritable returns the refusal to write a file, nil where there was no error.
func Unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Bad("%s cannot be written: %v", path, err).WithHint("%s", unfinished.Advice(err)).WithCause(err)
}
