package worktree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tasker/internal/git/command"
	"tasker/internal/text/words"
)

// maxExcludes is how much of the user's own exclude file Hide copies.
const maxExcludes = 1 << 20

// Hide keeps files of one work tree out of what git shows and adds there. It leaves files of the
// same names elsewhere, even in the main work tree, to the user. Git's own exclude file applies to
// all work trees, so a file that nothing ignores yet goes into an exclude file for this work tree
// only. The configuration includes that one there, together with what the user excludes everywhere.
func (r *Repo) Hide(ctx context.Context, path string, names ...string) error {
	shown, err := r.shown(ctx, path, names)
	if err != nil || len(shown) == 0 {
		return err
	}
	record, err := r.record(path)
	if err != nil {
		return err
	}
	patterns := words.Each(shown, Pattern)
	if record == "" { // the main work tree has no record of its own
		return r.Exclude(patterns...)
	}
	return r.alone(ctx, func() error { return r.hide(ctx, path, record, patterns) })
}

// shown returns the files that git does not ignore.
func (r *Repo) shown(ctx context.Context, path string, names []string) (shown []string, err error) {
	for _, name := range names {
		_, err := r.inTree(ctx, path, nil, "check-ignore", "--quiet", "--no-index", "--", "./"+name)
		switch {
		case command.Exit(err) == 1: // it is not ignored
			shown = append(shown, name)
		case err != nil:
			return nil, err
		}
	}
	return shown, nil
}

func (r *Repo) hide(ctx context.Context, path, record string, patterns []string) error {
	file := filepath.Join(record, command.Excludes)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = r.usersExcludes(ctx, path)
	}
	if err != nil {
		return err
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	text = append(text, strings.Join(patterns, "\n")+"\n"...)
	if err := os.WriteFile(file, text, 0o600); err != nil { //nolint:gosec // the path is in git's own record of the work tree
		return err
	}
	if _, err := r.git(ctx, r.common, "config", "--file", filepath.Join(record, hiding), "core.excludesFile", file); err != nil {
		return err
	}
	_, err = r.git(ctx, r.common, "config", "--file", filepath.Join(r.common, "config"), included(record)+".path",
		"worktrees/"+filepath.Base(record)+"/"+hiding)
	return err
}

// hiding is the file, in git's record of a work tree, with the configuration that hides its files.
const hiding = "tasker.config"

// included returns the section of the repository's configuration that applies only to one work
// tree.
func included(record string) string {
	return "includeIf.gitdir:./worktrees/" + strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(filepath.Base(record))
}

// usersExcludes returns what the user excludes in every repository. A work tree can have only one
// such file.
func (r *Repo) usersExcludes(ctx context.Context, path string) ([]byte, error) {
	file, err := command.Answered(r.line(ctx, path, "config", "--type=path", "--get", "core.excludesFile"))
	if err != nil {
		return nil, err
	}
	if file == "" {
		home, _ := os.UserHomeDir() // without one there is no such file
		file = filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), filepath.FromSlash("git/ignore"))
	}
	info, err := os.Stat(file) //nolint:gosec // the user's own configuration names it, as for any git
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // git ignores a missing one too
	}
	f, err := os.Open(file) //nolint:gosec // likewise
	if err != nil {
		return nil, nil
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxExcludes))
}

// Unhide makes git show again what Hide has hidden in a work tree that stays.
func (r *Repo) Unhide(ctx context.Context, path string) error {
	record, err := r.record(path)
	if err != nil || !hides(record) {
		return err
	}
	return r.alone(ctx, func() error {
		if err := r.unhide(ctx, record); err != nil {
			return err
		}
		return errors.Join(os.Remove(filepath.Join(record, hiding)), os.Remove(filepath.Join(record, command.Excludes)))
	})
}

// unhide removes from the repository's configuration what Hide added. The rest goes with git's
// record of the work tree.
func (r *Repo) unhide(ctx context.Context, record string) error {
	_, err := command.Answered(r.git(ctx, r.common, "config", "--file", filepath.Join(r.common, "config"), "--remove-section", included(record)))
	return err
}

// hides reports whether a work tree has hidden files.
func hides(record string) bool {
	return record != "" && exists(filepath.Join(record, hiding))
}
