package frame

import (
	"context"
	"path/filepath"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/workspace"
	"tasker/internal/workspace/kept"
)

// Current returns the task to use when none is named: the one in TASKER_TASK, the one whose workspace the command runs
// in, or the only task that the actor holds.
func Current(ctx context.Context, f *Factory) (string, error) {
	if id := f.Env("TASKER_TASK"); id != "" {
		return id, nil
	}
	id, err := standing(ctx, f)
	if err != nil || id != "" {
		return id, err
	}
	project, err := f.Project()
	if err != nil {
		return "", err
	}
	me, err := Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: project})
	if err != nil {
		return "", err
	}
	ids := words.Each(me.Holding, func(h reading.Holding) string { return string(h.Task) })
	switch len(ids) {
	case 0:
		return "", fault.Bad("say which task: you hold none").WithHint("give its id%s; find one with %s", example(ctx, f), hint.Here("ready"))
	case 1:
		return ids[0], nil
	}
	return "", fault.Bad("you hold %d tasks: say which one", len(ids)).WithHint("give one of %s", words.Some(ids, len(ids)))
}

// example names a task of the project for a hint: one that is ready, or else the first one. It returns "" if there is
// none or if the project is ambiguous.
func example(ctx context.Context, f *Factory) string {
	project, err := f.OneProject(ctx)
	if err != nil {
		return ""
	}
	for _, in := range []reading.ListIn{{Project: project, Ready: new(true), Limit: new(1)}, {Project: project, Limit: new(1)}} {
		if page, err := Call(ctx, f, op.List, in); err == nil && len(page.Tasks) > 0 {
			return ", such as " + string(page.Tasks[0].ID)
		}
	}
	return ""
}

// OrCurrent returns the first argument, or the name of the current task if there is no argument.
func OrCurrent(args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	return "."
}

// standing returns the task whose workspace the command runs in. It returns "" if the directory belongs to no
// workspace, or to those of several tasks.
func standing(ctx context.Context, f *Factory) (string, error) {
	tasks, err := WorkedOnIn(ctx, f, f.Process.Dir)
	if len(tasks) != 1 { // several tasks are worked on in place
		return "", err
	}
	return tasks[0], err
}

// WorkedOnIn returns the tasks whose workspace a directory belongs to: the innermost, if one is in another. A server is not
// asked: this machine keeps what it knows of the server's tasks.
func WorkedOnIn(ctx context.Context, f *Factory, dir string) (tasks []string, err error) {
	all, err := places(ctx, f)
	dir, depth := Resolved(dir), 0
	for _, v := range all {
		if !Below(dir, v.Path) || len(v.Path) < depth {
			continue
		}
		if len(v.Path) > depth {
			tasks, depth = nil, len(v.Path)
		}
		tasks = append(tasks, string(v.Task))
	}
	return tasks, err
}

// places returns where tasks are worked on, on this machine.
func places(ctx context.Context, f *Factory) ([]kept.Place, error) {
	if f.ServerURL() != "" {
		return f.Kept().Places()
	}
	if f.NoDatabase() {
		return nil, nil
	}
	all, err := Call(ctx, f, op.WorkspaceList, workspace.Query{Host: f.Process.Host()})
	out := make([]kept.Place, len(all))
	for i, v := range all {
		out[i] = kept.Place{Task: v.Task, Path: v.Path}
	}
	return out, err
}

// Kept returns the records of the workspaces that this machine has for tasks of the server.
func (f *Factory) Kept() kept.Files {
	server := strings.TrimSuffix(strings.TrimRight(f.ServerURL(), "/"), "/v1") // as the client reads it
	return kept.Files{Dir: f.Wiring.KeptDir("workspaces"), Host: f.Process.Host(), Server: server}
}

// Below reports whether a path is another one, or below it.
func Below(path, top string) bool {
	return path == top || strings.HasPrefix(path, top+string(filepath.Separator))
}
