package sqlite

import (
	"errors"
	"io/fs"

	"tasker/internal/db"
)

// Sizes returns the sizes of the file and of its log. It opens neither.
func (e *Engine) Sizes() (db.Sizes, error) {
	file, err := e.size(e.path)
	log, bad := e.size(e.near.paths[0])
	return db.Sizes{File: file, Log: log}, errors.Join(err, bad)
}

// size returns the size of a file, or 0 if it is missing.
func (e *Engine) size(path string) (int64, error) {
	info, err := e.world.Files.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
