package sqlite

import (
	"errors"
	"io/fs"

	"tasker/internal/db"
)

// Sizes returns the sizes of the file and of its log. It opens neither.
func (e *Engine) Sizes() (db.Sizes, error) {
	file, err := e.size("")
	if err != nil {
		return db.Sizes{}, err
	}
	log, err := e.size("-wal")
	return db.Sizes{File: file, Log: log}, err
}

func (e *Engine) size(suffix string) (int64, error) {
	info, err := e.world.Files.Stat(e.path + suffix)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
