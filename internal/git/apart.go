package git

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"tasker/internal/git/command"
)

// apart lets git look at the work tree through a temporary git directory of our own: a copy of the
// index and a pointer to the repository's objects. The repository's own configuration is not read,
// so nothing it names runs: no filter, hook, monitor or program that checks signatures. The
// configuration in an archive that somebody unpacked can name any program.
func (r *Repo) apart(ctx context.Context, commit string, fn func(git func(args ...string) (string, error)) error) (err error) {
	dir, err := os.MkdirTemp("", "tasker-tree-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	head, config := cmp.Or(commit, "ref: refs/heads/none"), "[core]\n\trepositoryformatversion = 0\n"
	if r.format != "sha1" {
		config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = " + r.format + "\n"
	}
	for _, sub := range []string{"refs", "info", filepath.Join("objects", "info")} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return err
		}
	}
	shared, _ := os.ReadFile(filepath.Join(r.common, "info", "exclude"))
	hidden, _ := os.ReadFile(filepath.Join(r.git, command.Excludes)) // most work trees hide nothing
	for name, text := range map[string]string{
		"HEAD": head + "\n", "config": config, filepath.Join("objects", "info", "alternates"): r.obj + "\n",
		filepath.Join("info", "exclude"): string(shared) + "\n" + string(hidden),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	copies := map[string]string{filepath.Join(r.git, "index"): "index", filepath.Join(r.common, "shallow"): "shallow"}
	files, err := os.ReadDir(r.git)
	if err != nil {
		return err
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "sharedindex.") { // the entries of a split index
			copies[filepath.Join(r.git, f.Name())] = f.Name()
		}
	}
	for from, to := range copies {
		if err := copyFile(from, filepath.Join(dir, to)); err != nil {
			return err
		}
	}
	var door command.Git // replaces what the submodules would run: git looks into them by itself, and there their own configuration counts
	if door.Own, err = door.Within(ctx, r.top); err != nil {
		return err
	}
	env := []string{"GIT_DIR=" + dir, "GIT_WORK_TREE=" + r.top, "GIT_ATTR_NOSYSTEM=1"}
	always := append([]string{"-c", "core.safecrlf=false"}, r.safe...)
	return fn(func(args ...string) (string, error) {
		return door.Run(ctx, r.top, env, append(always[:len(always):len(always)], args...)...)
	})
}

// copyFile copies a file if it exists. With the index, git need not read the files that have not
// changed since. The copy keeps the time of the original: git reads files that may have changed in
// the very second in which they were added, and a younger index would vouch for them.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return nil //nolint:nilerr // without an index git reads every file, which is slower but just as correct
	}
	src, err := os.ReadFile(from)
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	if err := os.WriteFile(to, src, 0o600); err != nil { //nolint:gosec // to is in a directory that we made
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
