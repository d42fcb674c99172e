package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"tasker/internal/fault"
)

// smallest is the size of the smallest database, one page.
const smallest = 512

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
	switch size := info.Size(); {
	case size == 0:
		return nil, nil
	case size < smallest: // the engine takes it for an empty one, and would write over it
		return nil, notADatabase(e.path)
	}
	return info, nil
}

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
