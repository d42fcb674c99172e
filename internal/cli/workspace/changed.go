package workspace

import (
	"context"
	"os"
	"strings"
	"unicode/utf8"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/workspace"
	"tasker/internal/workspace/machine"
)

// Changes is what was changed on this machine since a task was claimed.
type Changes struct {
	Files  []string
	commit string // that is checked out, if clean is set
	clean  bool   // the work tree holds exactly the files of the commit
	since  task.Time
	m      *machine.Manager // which knows by now what git said
}

// Changed finds what was changed since a task was claimed: in its workspace on this machine, or else in the work tree
// around the current directory. It returns nil if nobody can tell: through a server, outside a repository, for a task that
// nobody claimed, and if git does not answer. It also does if the task is in review and the command that handed it over
// recorded the files: that one saw the work.
func Changed(ctx context.Context, f *frame.Factory, id string) *Changes {
	if f.ServerURL() != "" || f.NoDatabase() {
		return nil
	}
	ctx, records, err := recorder(ctx, f)
	if err != nil {
		return nil
	}
	begun, err := records.Begun(core.Doing(ctx, "begun"), workspace.BegunIn{Task: id, Host: f.Process.Host()})
	if err != nil || begun.Since == 0 || begun.Recorded {
		return nil // the move itself reports what is wrong with the task
	}
	m, err := manager(ctx, f, records)
	if err != nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, outsidePatience)
	defer stop()
	found, there, err := m.Changed(ctx, workedIn(f, begun), begun.Since.Go())
	if err != nil || !there {
		return nil
	}
	out := &Changes{Files: []string{}, commit: found.Commit, clean: found.Clean, since: begun.Since, m: m}
	for _, file := range found.Files {
		if !ours(file) {
			out.Files = append(out.Files, file)
		}
	}
	return out
}

// workedIn returns where a task is worked on: its workspace on this machine, or else the current directory.
func workedIn(f *frame.Factory, begun workspace.Begun) string {
	if _, err := os.Stat(begun.Path); begun.Path != "" && err == nil {
		return begun.Path
	}
	return f.Process.Dir
}

// Paths returns the files as a move takes them; nil if they are not known.
func (c *Changes) Paths() []string {
	if c == nil {
		return nil
	}
	out := []string{}
	for _, file := range c.Files[:min(len(c.Files), task.MaxPathsSent)] {
		if file = strings.ToValidUTF8(file, "\ufffd"); utf8.RuneCountInString(file) <= task.MaxPath {
			out = append(out, file)
		}
	}
	return out
}
