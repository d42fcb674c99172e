package agent

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/cli/frame"
	"tasker/internal/task"
)

// memory is what hooks remember of one session of an agent, in a file of this machine.
type memory struct {
	Stop  map[string]int64 `json:"stop"`  // what the session held when the agent last ended its turn, with its newest event
	State string           `json:"state"` // of which the agent was told
	Edits []string         `json:"edits"` // what it was told about files, as digests
}

const (
	// maxEdits bounds what is remembered of edits: then the oldest is forgotten, and may be said again.
	maxEdits = 500
	// maxMemory bounds the file.
	maxMemory = 1 << 16
	// keptFor is how long a session is remembered whose end nobody told.
	keptFor = 7 * 24 * time.Hour
	// beatEvery is how often a session renews at most.
	beatEvery = time.Minute
)

// errNoPlace says that there is no directory of the user. It goes to the log of hooks at most, which has no place then either.
var errNoPlace = errors.New("there is no place to remember what the agent was told")

// memoryFile returns the file of a session, or "" if there is no place for it.
func memoryFile(f *frame.Factory, of task.AgentSession, ext string) string {
	log, key := hookLog(f), cmp.Or(of.Session, of.Process)
	if log == "" || key == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(log), "hooks", key+ext)
}

// recall returns what is remembered of a session. A file that cannot be read is as none.
func recall(f *frame.Factory, of task.AgentSession) (m memory) {
	path := memoryFile(f, of, ".json")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxMemory {
		return memory{}
	}
	text, err := frame.ReadSmall(path)
	if err != nil || json.Unmarshal(text, &m) != nil {
		return memory{}
	}
	return m
}

// keep remembers it. The file is replaced as a whole, since two hooks may run at the same time.
func (m memory) keep(f *frame.Factory, of task.AgentSession) error {
	text, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return err
	}
	return replace(memoryFile(f, of, ".json"), text)
}

// replace writes a file below the directory of hooks.
func replace(path string, text []byte) error {
	if path == "" {
		return errNoPlace
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), "part-*")
	if err != nil {
		return err
	}
	_, err = part.Write(text)
	if err = cmp.Or(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		_ = os.Remove(part.Name()) // what matters is the first error
	}
	return err
}

// due reports whether the session renews now: once a minute, by a file alone.
func (l life) due(of task.AgentSession) bool {
	path, now := memoryFile(l.f, of, ".beat"), l.f.Now()
	if text, err := frame.ReadSmall(path); err == nil {
		last, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if since := now.Sub(time.Unix(last, 0)); err == nil && since >= 0 && since < beatEvery {
			return false
		}
	}
	return replace(path, []byte(strconv.FormatInt(now.Unix(), 10))) == nil
}

// forget removes what is remembered of a session.
func forget(f *frame.Factory, of task.AgentSession) {
	for _, ext := range []string{".json", ".beat"} {
		_ = os.Remove(memoryFile(f, of, ext)) // an old one is removed later
	}
}

// forgetOld removes what is remembered of sessions whose end nobody told.
func forgetOld(f *frame.Factory) {
	const some = 1000 // files at a time
	log := hookLog(f)
	if log == "" {
		return
	}
	dir, err := os.Open(filepath.Join(filepath.Dir(log), "hooks"))
	if err != nil {
		return
	}
	defer dir.Close()
	files, _ := dir.Readdir(some) // what could be read is looked at
	for _, file := range files {
		if f.Now().Sub(file.ModTime()) > keptFor {
			_ = os.Remove(filepath.Join(dir.Name(), file.Name())) // next time, then
		}
	}
}
