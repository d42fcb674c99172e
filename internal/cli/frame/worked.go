package frame

import (
	"cmp"
	"context"
	"os"
	"slices"

	"tasker/internal/core"
	"tasker/internal/workspace"
	"tasker/internal/workspace/kept"
)

// Begun returns when and where the work on a task of the local database began.
func (f *Factory) Begun(ctx context.Context, id string) (workspace.Begun, error) {
	ctx, s, err := f.Acting(ctx)
	if err != nil {
		return workspace.Begun{}, err
	}
	return s.Workspaces.Begun(core.Doing(ctx, "begun"), workspace.BegunIn{Task: id, Host: f.Process.Host()})
}

// WorkedIn returns where a task is worked on: its workspace on this machine, or else the current directory.
func (f *Factory) WorkedIn(begun workspace.Begun) string {
	path := begun.Path
	if _, err := os.Stat(path); err != nil {
		path = ""
	}
	return cmp.Or(path, f.Process.Dir)
}

// WorkPlace returns where a task is worked on, as far as this machine knows, and who else works there: see task.SharedBy.
func (f *Factory) WorkPlace(ctx context.Context, id string) (dir string, shared []string) {
	if f.ServerURL() != "" {
		path, err := f.KeptAt(id)
		if err != nil {
			return f.Process.Dir, nil
		}
		return f.WorkedIn(workspace.Begun{Path: path}), nil
	}
	if f.NoDatabase() {
		return f.Process.Dir, nil
	}
	begun, err := f.Begun(ctx, id)
	if err != nil {
		return f.Process.Dir, nil
	}
	return f.WorkedIn(begun), begun.Shared
}

// KeptAt returns where a task of the server is worked on, on this machine; "" if it has no workspace here.
func (f *Factory) KeptAt(id string) (string, error) {
	all, err := f.Kept().Places()
	if i := slices.IndexFunc(all, func(p kept.Place) bool { return string(p.Task) == id }); i >= 0 {
		return all[i].Path, err
	}
	return "", err
}
