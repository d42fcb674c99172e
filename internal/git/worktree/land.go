package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/git/command"
)

// Stage makes a work tree at path with a commit checked out and no branch. What an earlier one left there goes first.
func (r *Repo) Stage(ctx context.Context, path, commit string) error {
	return r.alone(ctx, func() error {
		if err := r.remove(ctx, path); err != nil {
			return err
		}
		if err := r.unfiltered(ctx, commit); err != nil {
			return err
		}
		_, err := r.git(ctx, r.Root, "worktree", "add", "--quiet", "--detach", "--force", "--", path, commit)
		return err
	})
}

// Hold makes a scratch work tree hold exactly the files of a commit.
func (r *Repo) Hold(ctx context.Context, path, commit string) error {
	if err := r.unfiltered(ctx, commit); err != nil {
		return err
	}
	if _, err := r.inTree(ctx, path, nil, "checkout", "--quiet", "--detach", "--force", commit, "--"); err != nil {
		return err
	}
	_, err := r.inTree(ctx, path, nil, "clean", "-ffdxq")
	return err
}

// TreeOf returns the tree of a commit or of a ref.
func (r *Repo) TreeOf(ctx context.Context, name string) (string, error) {
	return r.line(ctx, r.Root, "rev-parse", "--verify", "--end-of-options", name+"^{tree}")
}

// ErrRefused is the cause of the error of an Advance that the base refused: it has moved, or its remote or a hook says no.
var ErrRefused = errors.New("the base was not moved")

// pushLimit is how long a push may take, with the hook that checks it.
const pushLimit = 15 * time.Minute

// Advance moves a base from where it was to a commit on top of that, and never by force. A remote's branch is moved by a
// push, and nothing here but what is known of the remote. A branch of this repository is moved with the work tree that has
// it checked out, if one has.
func (r *Repo) Advance(ctx context.Context, base Base, commit string) error {
	r.known, r.based = nil, Base{} // what was read before no longer holds
	if base.Remote != "" {
		return r.push(ctx, base, commit)
	}
	at, err := r.CheckedOut(ctx, base.Branch)
	if err != nil {
		return err
	}
	if at != nil && !at.Gone {
		if head, err := r.head(ctx, at.Path); err != nil || head != base.Commit {
			return cmp.Or(err, hasMoved(base))
		}
		return r.Forward(ctx, at.Path, commit)
	}
	if _, err = r.git(ctx, r.Root, "update-ref", "refs/heads/"+base.Branch, commit, base.Commit); command.Refused(err) {
		return hasMoved(base)
	}
	return err
}

// hasMoved says that a base is not where it was.
func hasMoved(base Base) error {
	return fault.Decline("%s has moved", base.Name).WithHint("land again").WithCause(ErrRefused)
}

// push pushes a commit. Of the hooks only pre-push runs: the one in the git directory, or in a directory that the user's or
// the system's configuration names.
func (r *Repo) push(ctx context.Context, base Base, commit string) error {
	ctx, stop := context.WithTimeout(ctx, pushLimit)
	defer stop()
	door := r.door
	hook, err := r.prePush(ctx)
	if err != nil {
		return err
	}
	if hook != "" {
		dir, err := only(hook)
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		door = door.WithHooks(dir)
	}
	ssh := cmp.Or(os.Getenv("GIT_SSH_COMMAND"), "ssh -o BatchMode=yes -o ConnectTimeout=10")
	_, err = door.Run(ctx, r.Root, []string{"GIT_SSH_COMMAND=" + ssh}, "push", "--quiet", "--no-follow-tags", "--no-signed", "--recurse-submodules=no",
		"--receive-pack=git-receive-pack", "--", base.Remote, commit+":refs/heads/"+base.Branch)
	if command.Refused(err) {
		return fault.Decline("%s was not moved: %s", base.Name, strings.TrimPrefix(fault.Of(err).Message, "git push: ")).
			WithHint("do what it asks for, and land again").WithCause(ErrRefused)
	}
	return err
}

// prePush returns the pre-push hook that runs, or "" if there is none.
func (r *Repo) prePush(ctx context.Context) (string, error) {
	dir := filepath.Join(r.common, "hooks")
	out, err := command.Answered(r.git(ctx, r.Root, "config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath"))
	if err != nil {
		return "", err
	}
	parts := strings.Split(out, "\x00")
	for i := 0; i+1 < len(parts); i += 2 {
		if scope := parts[i]; scope == "system" || scope == "global" {
			dir = parts[i+1]
		}
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Root, dir)
	}
	hook := filepath.Join(dir, "pre-push")
	info, err := os.Stat(hook)
	if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return "", nil //nolint:nilerr // git runs no hook either that it cannot find
	}
	return hook, nil
}

// only makes a directory of hooks that has one hook: git looks for all of them in one place.
func only(hook string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "tasker-hook-"); err != nil {
		return "", err
	}
	text := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", strings.ReplaceAll(hook, "'", `'\''`))
	return dir, os.WriteFile(filepath.Join(dir, filepath.Base(hook)), []byte(text), 0o700) //nolint:gosec // a hook is run
}
