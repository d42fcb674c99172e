package sqlite

import (
	"errors"
	"io/fs"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"tasker/internal/db"
	"tasker/internal/fault"
	"tasker/internal/hint"
)

// place is a database as errors name it.
type place struct {
	files db.Files
	path  string
	shell string // see db.Setup
}

func (e *Engine) place() place              { return place{e.world.Files, e.path, e.setup.Shell} }
func (e *Engine) explain(err error) error   { return e.place().explain(err) }
func (e *Engine) pathError(err error) error { return e.place().pathError(err) }

// explain turns a driver's error into one that a person can act on.
func (p place) explain(err error) error {
	files, path := p.files, p.path
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	code := sqlite.ErrCode(err)
	switch code.ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked, sqlite.ResultProtocol:
		return fault.Unready("the database %s is held by another program", path).
			WithHint("try again when that program is done").WithCause(err)
	case sqlite.ResultFull:
		return fault.Unready("the disk of the database %s is full", path).
			WithHint("make room; nothing was written").WithCause(err)
	case sqlite.ResultInterrupt:
		return fault.Unready("the statement was interrupted").WithHint("send it again").WithCause(err)
	case sqlite.ResultNoMem:
		return fault.Unready("there is not enough memory to carry it out").WithHint("send it again").WithCause(err)
	case sqlite.ResultIOErr:
		return fault.Unready("the database %s cannot be read or written: %s", path, code.Message()).
			WithHint("check the disk; %s reports whether everything is right", hint.Doctor()).WithCause(err)
	case sqlite.ResultReadOnly:
		if p.shell != "" {
			return p.kept(err)
		}
		return fault.Decline("the database %s can be read but not written", path).
			WithHint("give yourself permission to write the file and its directory").WithCause(err)
	case sqlite.ResultCantOpen, sqlite.ResultPerm, sqlite.ResultAuth:
		if crowded(files, path) { // the log could not be created
			return noNames(path).WithCause(err)
		}
		return fault.Decline("the database %s cannot be opened", path).
			WithHint("check that you may read and write the file and its directory").WithCause(err)
	case sqlite.ResultNotADB:
		return notADatabase(path).WithCause(err)
	case sqlite.ResultCorrupt:
		return damaged(path).WithCause(err)
	case sqlite.ResultTooBig:
		return fault.Bad("a value is larger than the database can keep").WithCause(err)
	case sqlite.ResultOK, sqlite.ResultError:
		return p.pathError(err)
	}
	return fault.New(fault.Internal, "something unexpected happened in the database: %v", err).WithCause(err)
}

// pathError explains an operating system error about a path.
func (p place) pathError(err error) error {
	files, path := p.files, p.path
	switch {
	case err == nil:
		return nil
	case p.shell != "" && (errors.Is(err, fs.ErrPermission) || readOnly(err)):
		return p.kept(err)
	case errors.Is(err, fs.ErrPermission):
		return fault.Decline("the database %s cannot be opened: permission is denied", path).
			WithHint("check that you may read and write the file and its directory").WithCause(err)
	case full(err) && crowded(files, path):
		return noNames(path).WithCause(err)
	case full(err):
		return fault.Unready("the disk of the database %s is full", path).WithHint("make room; nothing was written").WithCause(err)
	case readOnly(err):
		return fault.Decline("the database %s is on a disk that cannot be written", path).WithHint("have the disk made writable; what is stored can be read").WithCause(err)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return fault.Decline("the database %s cannot be opened: %v", path, pe.Err).
			WithHint("set TASKER_DB to another path").WithCause(err)
	}
	return fault.New(fault.Internal, "something unexpected happened in the database: %v", err).WithCause(err)
}

// kept explains that an agent's shell may not write the database. Another database would be an empty one, which nobody else
// sees: only the agent's person can help.
func (p place) kept(err error) error {
	dir := filepath.Dir(p.path)
	return fault.Decline("the sandbox of %s, in whose shell this runs, keeps it from writing the database %s", p.shell, p.path).
		WithHint("ask your person to allow the directory %s for writing in the settings of that sandbox; what is stored can be read", dir).WithCause(err)
}

// crowded reports whether no more files can be created next to the database, however many bytes are free.
func crowded(files db.Files, path string) bool {
	free, known := files.Names(filepath.Dir(path))
	return known && free == 0
}

func noNames(path string) *fault.Error {
	return fault.Unready("the disk of the database %s has no inode left, so no file can be created on it", path).
		WithHint("remove files that are not needed, however small (df -i counts them); nothing was written")
}

func damaged(path string) *fault.Error {
	return fault.Unready("the database %s is damaged", path).
		WithHint("stop everything that uses it, and replace it with an intact copy (a backup next to it ends in .backup)")
}

func notADatabase(path string) *fault.Error {
	return fault.Decline("%s is not a database", path).WithHint("set TASKER_DB to another path")
}
