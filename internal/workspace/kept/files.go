package kept

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/unfinished"
	"tasker/internal/workspace"
)

// The bounds of what is read: a file of another origin, or a directory full of them, costs no more.
const (
	maxFile    = 4 << 20 // bytes of a record
	maxRecords = 10_000  // of a machine, and repositories with records
)

// suffix ends the names of complete records.
const suffix = ".json"

// Files are the records of one machine, for tasks of any server: a file for each, in a directory for each repository.
type Files struct {
	Dir  string // of the records of all machines that share it; empty if there is none
	Host string // this machine

	Server string // the address of the server whose tasks are meant
}

// entry is a record as its file has it.
type entry struct {
	Server    string              `json:"server"`
	Task      task.ID             `json:"task"`
	Host      string              `json:"host"`
	State     workspace.State     `json:"state"`
	Workspace workspace.Workspace `json:"workspace"`
}

// record returns the workspace of an entry.
func (e *entry) record() *workspace.Workspace {
	w := e.Workspace
	w.Task, w.Host, w.State = e.Task, e.Host, e.State
	return &w
}

// Place is where a task is worked on.
type Place struct {
	Task task.ID
	Path string
}

// Places returns where the tasks of the server are worked on, on this machine. It does not ask the server.
func (f Files) Places() (out []Place, err error) {
	all, err := f.all()
	for _, e := range all {
		if e.Server == f.Server {
			out = append(out, Place{e.Task, e.Workspace.Path})
		}
	}
	return out, err
}

// home returns the directory of this machine's records.
func (f Files) home() string { return filepath.Join(f.Dir, named(f.Host)) }

// named returns a text as part of a path: what can be read of it, and what tells it from others.
func named(text string) string {
	name := workspace.Name(strings.ReplaceAll(text, "/", "-"))
	return fmt.Sprintf("%s-%.8x", name[:min(len(name), 40)], sha256.Sum256([]byte(text)))
}

// path returns the file of an entry.
func (f Files) path(e *entry) string {
	return filepath.Join(f.home(), named(e.Workspace.Root), fmt.Sprintf("%s-%.8x%s", workspace.Dir(e.Task), sha256.Sum256([]byte(e.Server)), suffix))
}

// all returns the entries of this machine, by task and server.
func (f Files) all() ([]entry, error) {
	var out []entry
	if f.Dir == "" {
		return nil, nil
	}
	repos, err := names(f.home())
	if err != nil {
		return nil, err
	}
	for _, repo := range repos {
		dir := filepath.Join(f.home(), repo)
		files, err := names(dir)
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			if !strings.HasSuffix(name, suffix) {
				continue // the lock, or what a crash left unfinished
			}
			e, err := f.read(filepath.Join(dir, name))
			if err != nil {
				return nil, err
			}
			if out = append(out, e); len(out) > maxRecords {
				return nil, tooMany(f.home())
			}
		}
	}
	slices.SortFunc(out, func(a, b entry) int {
		return compare(a.Task, b.Task, a.Server, b.Server)
	})
	return out, nil
}

// compare orders entries by project and number, then by server.
func compare(a, b task.ID, as, bs string) int {
	ap, an, _ := task.ParseID(string(a))
	bp, bn, _ := task.ParseID(string(b))
	if c := strings.Compare(ap, bp); c != 0 {
		return c
	}
	if an != bn {
		return int(min(max(an-bn, -1), 1))
	}
	return strings.Compare(as, bs)
}

// names returns what is in a directory; nothing if there is none.
func names(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(dir, err)
	}
	defer func() { _ = d.Close() }()
	if info, err := d.Stat(); err != nil || !info.IsDir() { // the lock
		return nil, err
	}
	out, err := d.Readdirnames(maxRecords + 1)
	switch {
	case errors.Is(err, io.EOF):
		return out, nil
	case err != nil:
		return nil, unreadable(dir, err)
	case len(out) > maxRecords:
		return nil, tooMany(dir)
	}
	return out, nil
}

func tooMany(dir string) error {
	return fault.Decline("%s holds more than %d files", dir, maxRecords).WithHint("remove what is not a record of a workspace")
}

func unreadable(path string, err error) error {
	return fault.Decline("the record of a workspace in %s cannot be read: %v", path, err).WithCause(err).
		WithHint("look at it, and remove it if nothing there is of use")
}

// read returns an entry that holds together, and lies where it belongs.
func (f Files) read(path string) (e entry, err error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() { // before it is opened: a pipe would wait for its writer
		return e, unreadable(path, errors.Join(err, errors.New("it is not a plain file")))
	}
	file, err := os.Open(path)
	if err != nil {
		return e, unreadable(path, err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("it has more than %d MiB", maxFile>>20)
	}
	if err == nil {
		err = json.Unmarshal(text, &e, json.RejectUnknownMembers(true))
	}
	if err == nil {
		err = e.check(f.Host)
	}
	if err == nil && path != f.path(&e) {
		err = errors.New("it belongs somewhere else: " + f.path(&e))
	}
	if err != nil {
		return e, unreadable(path, err)
	}
	return e, nil
}

// check says what is wrong with an entry.
func (e *entry) check(host string) error {
	w := &e.Workspace
	_, _, isID := task.ParseID(string(e.Task))
	switch {
	case !isID:
		return fmt.Errorf("%q is not the id of a task", e.Task)
	case e.Host != host:
		return fmt.Errorf("it is of the machine %q", e.Host)
	case !slices.Contains([]workspace.State{workspace.Opening, workspace.Open, workspace.Closing}, e.State):
		return fmt.Errorf("%q is not a state", e.State)
	case w.Strategy != workspace.InPlace && w.Strategy != workspace.Worktree:
		return fmt.Errorf("%q is not a strategy", w.Strategy)
	case slices.ContainsFunc([]string{w.Root, w.Path}, func(path string) bool { return !filepath.IsAbs(path) || filepath.Clean(path) != path }):
		return errors.New("a path in it is not absolute")
	case slices.ContainsFunc(w.Files, func(name string) bool { return !filepath.IsLocal(name) }):
		return errors.New("a file in it is not in the workspace")
	case slices.ContainsFunc(w.Ports, func(port int) bool { return port < 1 || port > 65535 }):
		return errors.New("a port in it is none")
	}
	return nil
}

// put writes an entry, completely or not at all, readable only by this user. The lock is held.
func (f Files) put(e *entry) error {
	text, err := json.Marshal(e, json.Deterministic(true))
	if err != nil {
		return err
	}
	path := f.path(e)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritten(err)
	}
	unfinished.Sweep(filepath.Dir(path)) // what a crash left
	file, err := unfinished.Create(filepath.Dir(path), unfinished.Record)
	if err != nil {
		return unwritten(err)
	}
	defer file.Discard()
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = file.Rename(path)
	}
	if err != nil {
		return unwritten(err)
	}
	return nil
}

// remove removes an entry. The lock is held.
func (f Files) remove(e *entry) error {
	if err := os.Remove(f.path(e)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unwritten(err)
	}
	_ = os.Remove(filepath.Dir(f.path(e))) // where it was the last of its repository
	return nil
}

// locked runs fn while no other process changes the records of this machine.
func (f Files) locked(fn func() error) error {
	if f.Dir == "" {
		return fault.Decline("this user has no home directory, so the record of a workspace has no place").WithHint("set XDG_STATE_HOME to a directory")
	}
	if err := os.MkdirAll(f.home(), 0o700); err != nil {
		return unwritten(err)
	}
	release, err := lock(filepath.Join(f.home(), ".lock"))
	if err != nil {
		return unwritten(err)
	}
	defer release()
	return fn()
}

func unwritten(err error) error {
	return fault.Decline("the record of the workspace cannot be written: %v", err).WithCause(err).WithHint("make the directory writable")
}
