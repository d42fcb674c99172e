package machine

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/git/worktree"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/workspace"
)

// Records keeps the record of workspaces: the database that has their tasks, or where a server has them, a directory of
// this machine.
type Records interface {
	List(ctx context.Context, in workspace.Query) ([]workspace.View, error)
	Ports(ctx context.Context, in workspace.PortsIn) (map[int]task.ID, error)
	Use(ctx context.Context, in workspace.UseIn) (workspace.Used, error)
	Begin(ctx context.Context, in workspace.BeginIn) (workspace.View, error)
	Save(ctx context.Context, in workspace.Made) (workspace.View, error)
	Drop(ctx context.Context, in workspace.DropIn) (struct{}, error)
}

// Manager opens and closes the workspaces of one machine. All fields except Landings and Repo are required.
type Manager struct {
	Workspaces Records            // keeps the record of them
	Landings   *workspace.Service // records where finished work is; nil through a server
	Repo       *worktree.Repo     // of the current directory; nil outside of one
	Dir        string             // the root of the project: the directory of its configuration, else the current one
	Host       string             // this machine
	Config     *config.Effective
	Env        []string // of this process

	// Fence returns the fence of the claim under which the caller acts on a task, or nil if none is
	// given.
	Fence func(ctx context.Context, id task.ID) (*int64, error)
	// Writes returns the files that the providers may write, relative to the root of the project
	// and to the workspace.
	Writes func() ([]string, error)
	// Provide returns the environment that the configured providers give, and the files that they
	// write.
	Provide func(ctx context.Context, at workspace.At) (workspace.Provided, error)
	// Run runs a command line in a shell.
	Run func(ctx context.Context, s Shell) (exit int, took time.Duration, err error)
	// Free returns free ports of a range.
	Free func(ctx context.Context, start, end, n int, taken func(int) bool) []int
	// Logs is where the output of steps is stored.
	Logs string
	// Tell receives progress messages, and Output the output of steps, one line at a time.
	Tell   func(format string, args ...any)
	Output io.Writer

	database int64 // that has the tasks: see Used.Database; known from the first act on a workspace
}

// Shell is a command line, and where and how to run it.
type Shell struct {
	What    string // a description, for progress messages
	Line    string
	Dir     string
	Env     []string
	Secret  []string // values to mask in the output
	Output  io.Writer
	Timeout time.Duration
}

// Subject is the task that a workspace is for, and the done tasks that it builds on, in the order
// of the graph.
type Subject struct {
	ID    task.ID
	Title string
	Deps  []Subject
}

// may checks whether the caller may act on the workspace of a task, before looking at it or
// changing it. It returns the fence under which the caller acts, for changes of the record, and
// whether the caller holds the task.
func (m *Manager) may(ctx context.Context, id task.ID, to workspace.Use) (fence *int64, holds bool, err error) {
	if fence, err = m.Fence(ctx, id); err != nil {
		return nil, false, err
	}
	used, err := m.Workspaces.Use(core.Doing(ctx, "workspace-use"), workspace.UseIn{Task: id, To: to, Fence: fence})
	if err == nil {
		m.database = used.Database
	}
	return fence, used.Holds, err
}

// enter is may, and takes the lock of the workspace, which release gives back.
func (m *Manager) enter(ctx context.Context, id task.ID, to workspace.Use) (fence *int64, holds bool, release func(), err error) {
	if fence, holds, err = m.may(ctx, id, to); err != nil {
		return nil, false, nil, err
	}
	if err := os.MkdirAll(m.Logs, 0o700); err != nil {
		return nil, false, nil, fault.Decline("%s cannot be created: %v", m.Logs, err).WithCause(err)
	}
	release, err = lock(m.file(id, ".lock"), string(id))
	return fence, holds, release, err
}

// file returns the path of a file that we keep about the workspace of a task. Tasks of two databases can have the same id.
func (m *Manager) file(id task.ID, ext string) string {
	return filepath.Join(m.Logs, fmt.Sprintf("%s-%x%s", workspace.Dir(id), m.database, ext))
}

func (m *Manager) call(ctx context.Context, in workspace.Made) (workspace.View, error) {
	return m.Workspaces.Save(core.Doing(ctx, "workspace-save"), in)
}

// find returns the workspace of a task on this machine, or nil.
func (m *Manager) find(ctx context.Context, id task.ID) (*workspace.View, error) {
	found, err := m.Workspaces.List(core.Doing(ctx, "workspace-list"), workspace.Query{Task: id, Host: m.Host})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Here returns the open workspace of a task on this machine, or a refusal that says what to do.
func (m *Manager) Here(ctx context.Context, id task.ID) (workspace.View, error) {
	v, err := m.find(ctx, id)
	if err == nil && v == nil {
		err = m.nowhere(ctx, id)
	}
	if err != nil {
		return workspace.View{}, err
	}
	return *v, nil
}

// nowhere returns the refusal for a task without a workspace here. It names one on another machine,
// if any.
func (m *Manager) nowhere(ctx context.Context, id task.ID) error {
	all, err := m.Workspaces.List(core.Doing(ctx, "workspace-list"), workspace.Query{Task: id})
	if err != nil {
		return err
	}
	if len(all) > 0 {
		return fault.Missing("%s has no workspace on %s; it has one on %s, in %s", id, m.Host, all[0].Host, all[0].Path).
			WithHint("go there, or open one here: %s", hint.Command("workspace open "+string(id)))
	}
	return fault.Missing("%s has no workspace", id).WithHint("open one: %s", hint.Command("workspace open "+string(id)))
}

// repo returns the repository of a workspace.
func (m *Manager) repo(ctx context.Context, w *workspace.Workspace) (*worktree.Repo, error) {
	if m.Repo != nil && m.Repo.Root == w.Root {
		return m.Repo, nil
	}
	r, err := worktree.Find(ctx, w.Root)
	if err == nil && r == nil {
		err = fault.Decline("the repository of %s, %s, does not exist", w.Task, w.Root).
			WithHint("restore it, or remove the workspace from the list: %s", hint.Command("workspace prune"))
	}
	return r, err
}

// home refuses to act on a workspace of another repository if that needs the configuration: its
// steps and its environment are configured there.
func (m *Manager) home(w *workspace.Workspace) error {
	root := m.root()
	if w.Root == root || !exists(w.Path) || within(root, w.Path) {
		return nil
	}
	return fault.Decline("the workspace of %s belongs to another repository, whose configuration applies to it: %s", w.Task, w.Root).WithHint("go there")
}

// root returns the directory that workspace paths are relative to.
func (m *Manager) root() string {
	if m.Repo != nil {
		return m.Repo.Root
	}
	return m.Dir
}

// treePath returns the path of the work tree of a task.
func (m *Manager) treePath(id task.ID) (string, error) {
	dir := filepath.Join(m.root(), filepath.FromSlash(m.Config.Workspace.Dir))
	if err := direct(m.root(), dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, workspace.Dir(id)), nil
}
