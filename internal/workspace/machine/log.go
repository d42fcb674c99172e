package machine

import (
	"errors"
	"io/fs"
	"os"

	"tasker/internal/fault"
	"tasker/internal/workspace"
)

// The size limits of the log of a workspace. The output of steps ends earlier than our own lines
// about them, so that every step is listed.
const (
	maxLog    = 16 << 20
	maxOutput = maxLog - 1<<20
)

const full = "\n… the log is full, and the rest of the output is not stored\n"

// startLog empties the log of an earlier workspace of the task, if there is one.
func (m *Manager) startLog(w *workspace.Workspace) error {
	err := os.Truncate(m.logFile(w), 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (m *Manager) logFile(w *workspace.Workspace) string { return m.file(w.Task, ".log") }

// log opens the file with the output of a workspace's steps. Only its owner may read it.
func (m *Manager) log(w *workspace.Workspace) (*stepLog, error) {
	w.Log = m.logFile(w)
	f, err := os.OpenFile(w.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, unwritten(err)
	}
	info, err := f.Stat()
	if err == nil && info.Mode().Perm() != 0o600 { // it existed before, and others may be able to read it
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(unwritten(err), f.Close())
	}
	return &stepLog{file: f, size: info.Size()}, nil
}

func unwritten(err error) error {
	return fault.Decline("the log of the steps cannot be written: %v", err).WithCause(err)
}

// stepLog is a log of limited size.
type stepLog struct {
	file *os.File // not embedded: its other methods know no limit
	size int64
	said bool // the log says that it is full
}

// Close closes the file.
func (l *stepLog) Close() error { return l.file.Close() }

// Write stores what a step prints while there is room. A step does not fail because of its log.
func (l *stepLog) Write(p []byte) (int, error) {
	fits := max(0, min(int64(len(p)), maxOutput-l.size))
	l.store(p[:fits])
	if fits < int64(len(p)) && !l.said {
		l.said = true
		l.head(full)
	}
	return len(p), nil
}

// head stores a line about a step.
func (l *stepLog) head(text string) {
	if l.size+int64(len(text)) <= maxLog {
		l.store([]byte(text))
	}
}

func (l *stepLog) store(p []byte) {
	n, _ := l.file.Write(p) // what cannot be stored is still on the screen
	l.size += int64(n)
}
