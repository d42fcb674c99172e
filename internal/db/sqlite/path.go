package sqlite

import (
	"errors"
	"io/fs"
	"path/filepath"

	"tasker/internal/fault"
)

// smallest is the size of the smallest database, one page.
const smallest = 512

// present returns the file to open, nil where there is none or an empty one. What cannot be a database is refused
// before anything is opened.
func (e *Engine) present() (fs.FileInfo, error) {
	info, err := e.world.Files.Stat(e.path)
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
	if err := e.world.Files.MakeDirs(dir); err != nil {
		return pathError(e.path, err)
	}
	err := e.world.Files.Create(e.path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return pathError(e.path, err)
	}
	// Its name has to last as well as what is written to it.
	e.world.Files.SyncDir(dir)
	e.world.Files.SyncDir(filepath.Dir(dir))
	return nil
}
