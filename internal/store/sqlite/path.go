package sqlite

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tasker/internal/fault"
)

// present gives the file to open, nil where there is none or an empty one. What cannot be a database is refused
// before anything is opened.
func (e *Engine) present() (os.FileInfo, error) {
	info, err := os.Stat(e.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, pathError(e.path, err)
	case info.IsDir():
		return nil, fault.Decline("%s is a directory and not a database", e.path).
			WithHint("set TASKER_DB to a file in it: %s", filepath.Join(e.path, "tasker.db"))
	case !info.Mode().IsRegular():
		return nil, fault.Decline("%s is not a file", e.path).WithHint("set TASKER_DB to another path")
	}
	if info.Size() == 0 {
		return nil, nil
	}
	return info, nil
}

// looksRight refuses a file that does not begin as a database does: the engine takes a short one for an empty one,
// and would write over it.
func (e *Engine) looksRight() error {
	f, err := os.Open(e.path)
	if err != nil {
		return pathError(e.path, err)
	}
	defer func() { _ = f.Close() }()
	start := make([]byte, len(magic))
	if n, err := io.ReadFull(f, start); n > 0 && (err != nil || string(start) != magic) {
		return notADatabase(e.path)
	}
	return nil
}

const magic = "SQLite format 3\x00"

// create makes the file and the directories above it, for nobody else to read; a file that is there stays.
func (e *Engine) create() error {
	dir := filepath.Dir(e.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return pathError(e.path, err)
	}
	f, err := os.OpenFile(e.path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return pathError(e.path, err)
	}
	// Its name has to last as well as what is written to it.
	syncDir(dir)
	syncDir(filepath.Dir(dir))
	return pathError(e.path, f.Close())
}

func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
