package workspace

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
	"tasker/internal/workspace"
	"tasker/internal/workspace/machine"
)

// Changes is what was changed on this machine since a task was claimed.
type Changes struct {
	Files  []string
	commit string // the one that is checked out, if clean is set
	clean  bool   // the work tree holds exactly the files of the commit
	since  task.Time
	m      *machine.Manager // has cached what git said
	shown  *bundle.Bundle   // of the task, where it had to be read; may be nil
}

// Changed finds what was changed since a task was claimed: in its workspace on this machine, or else in the work tree
// around the current directory. It returns nil if nobody can tell: outside a repository, in that of another project, for a
// task that nobody claimed, and if git does not answer. It also returns nil if the task is in review and the
// command that handed it over recorded the files, since that command saw the work.
func Changed(ctx context.Context, f *frame.Factory, id string) *Changes {
	c, err := changes(ctx, f, id)
	if err != nil {
		return nil // the move itself reports what is wrong with the task
	}
	return c
}

// changes is Changed, and says why git did not answer.
func changes(ctx context.Context, f *frame.Factory, id string) (*Changes, error) {
	if f.NoDatabase() {
		return nil, nil
	}
	begin := begunHere
	if f.ServerURL() != "" {
		begin = begunThere
	}
	begun, m, shown, err := begin(ctx, f, id)
	if err != nil || begun.Since == 0 || begun.Recorded || begun.Path == "" && elsewhere(f, begun) {
		return nil, nil // the command itself reports what is wrong with the task
	}
	ctx, stop := context.WithTimeout(ctx, outsidePatience)
	defer stop()
	found, there, err := m.Changed(ctx, f.WorkedIn(begun), begun.Since.Go())
	if err != nil || !there {
		return nil, err
	}
	return &Changes{
		Files: slices.DeleteFunc(found.Files, ours), commit: found.Commit, clean: found.Clean, since: begun.Since, m: m, shown: shown,
	}, nil
}

// begunHere asks the database when and where the work on a task began.
func begunHere(ctx context.Context, f *frame.Factory, id string) (begun workspace.Begun, m *machine.Manager, _ *bundle.Bundle, err error) {
	begun, err = f.Begun(ctx, id)
	if err == nil && begun.Since != 0 {
		_, m, err = Manager(ctx, f)
	}
	return begun, m, nil, err
}

// elsewhere reports whether the current directory does not belong to the project of the task: its file names another one, or,
// without a file, the project was not made in this repository.
func elsewhere(f *frame.Factory, begun workspace.Begun) bool {
	loaded, err := f.Configuration()
	if err != nil || loaded.FileProject() == "" {
		return err != nil || !begun.Here
	}
	return loaded.FileProject() != begun.Project
}

// begunThere asks the server, and this machine where the work is: in the task's workspace here, or else around the current
// directory. Where that is in no repository it asks nothing. The server does not tell where the project was made: a file
// must name it.
func begunThere(ctx context.Context, f *frame.Factory, id string) (begun workspace.Begun, m *machine.Manager, shown *bundle.Bundle, err error) {
	if begun.Path, err = f.KeptAt(id); err != nil || !InRepository(f.WorkedIn(begun)) {
		return begun, nil, nil, err
	}
	if shown, err = frame.Call(ctx, f, op.Show, reading.ShowIn{Task: id}); err != nil {
		return begun, nil, nil, err
	}
	t := shown.Task
	begun.Project, begun.Recorded = t.Project, t.Status == task.InReview && shown.Changed != nil
	if !begun.Recorded {
		begun.Since, err = claimedAt(ctx, f, t)
	}
	return begun, &machine.Manager{}, shown, err
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
