package app

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"strings"

	"tasker/internal/app/services"
	"tasker/internal/child"
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
	"tasker/internal/git"
	"tasker/internal/op"
	"tasker/internal/server/httpapi"
	"tasker/internal/server/mcp"
)

// newKey returns the part of a name that distinguishes two workers: short enough to read, and random enough to be unique.
func newKey() string { return strings.ToLower(rand.Text()[:8]) }

// serveTools serves the operations as tools on a pair of streams.
func serveTools(ctx context.Context, t frame.Tooling) error {
	s, err := mcp.New(mcp.Options{
		Ops: t.Caller, Version: Version, Project: t.Project, All: t.All, Passing: t.Passing, Acting: t.Acting, Stale: t.Stale,
		Carried: t.Carried,
	})
	if err != nil {
		return err
	}
	return s.Serve(ctx, t.In, t.Out)
}

// toolRoute returns the route that serves the same tools over HTTP. The front door decides who acts, as on every route.
func toolRoute(services *services.Set, log *slog.Logger) map[string]httpapi.HandlerFunc {
	return map[string]httpapi.HandlerFunc{
		"POST /mcp": mcp.Handler(mcp.Options{Ops: op.NewLocal(services.All()...), Version: Version, Log: log}),
	}
}

// execute runs a command in the given environment, on top of our own unless the given one is complete.
func execute(ctx context.Context, e frame.Execution) (frame.Executed, error) {
	env := e.Env
	if !e.Whole {
		env = append(os.Environ(), e.Env...)
	}
	c := child.Command{For: e.For, Args: e.Args, Dir: e.Dir, Env: env, Stdin: e.Stdin, Output: e.Output, Errors: e.Errors, Secret: e.Secret, Grace: e.Grace}
	if e.Attached {
		res, err := child.Attached(c, e.Terminal)
		return frame.Executed{ExitCode: res.ExitCode, Took: res.Took}, err
	}
	res, err := child.Run(ctx, c)
	if errors.Is(err, child.ErrNotFound) {
		err = fault.Of(err).WithCause(frame.ErrNoProgram)
	}
	return frame.Executed{ExitCode: res.ExitCode, Took: res.Took}, err
}

// repository returns the work tree that contains dir, or nil if there is none.
func repository(ctx context.Context, dir string) (frame.Repository, error) {
	r, err := git.Find(ctx, dir)
	if r == nil || err != nil {
		return nil, err
	}
	return worktree{r}, nil
}

// worktree is a repository as commands ask for it.
type worktree struct{ *git.Repo }

// Files returns the state of the work tree, with the tree of the files that git tracks.
func (w worktree) Files(ctx context.Context) (frame.Files, error) {
	s, err := w.Repo.State(ctx)
	if err != nil {
		return frame.Files{}, err
	}
	tracked, err := w.TrackedTree(ctx)
	return frame.Files{Commit: s.Commit, Tree: s.Tree, Tracked: tracked, Dirty: s.Dirty}, err
}

// Compare returns the tree of the files as they are, and in which files it differs from others.
func (w worktree) Compare(ctx context.Context, trees []string, limit int) (string, map[string][]string, error) {
	s, differ, err := w.Repo.Compare(ctx, trees, limit)
	return s.Tree, differ, err
}

// State returns the state of the work tree.
func (w worktree) State(ctx context.Context) (commit, tree string, dirty bool, err error) {
	s, err := w.Repo.State(ctx)
	return s.Commit, s.Tree, s.Dirty, err
}
