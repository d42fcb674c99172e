package worktree

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Left returns what a work tree that git half made or half removed holds and a commit does not: new
// files, and files with other content. Missing files are no loss. It needs neither the index nor
// the .git file of the work tree: a killed git may not have written them yet, or may have removed
// them first. An empty commit means the one checked out.
func (r *Repo) Left(ctx context.Context, path, commit string) (s Seen, err error) {
	err = r.apart(ctx, path, commit, func(record string, env []string) error {
		err := r.status(ctx, path, env, true, func(entry string) {
			if tracked := strings.HasPrefix(entry, "1 "); !tracked || len(entry) > 3 && !strings.ContainsRune(".D", rune(entry[3])) {
				s.read(path, entry)
			}
		})
		if _, missing := os.Stat(filepath.Join(record, "index")); record == "" || missing != nil {
			// Git was still writing the files: it creates each one empty and fills it later, and writes
			// the index last.
			s.Changed = slices.DeleteFunc(s.Changed, func(name string) bool {
				info, err := os.Lstat(filepath.Join(path, filepath.FromSlash(name)))
				return err == nil && info.Mode().IsRegular() && info.Size() == 0
			})
		}
		return err
	})
	return s, err
}

// KeepLeft stores what Left finds, together with everything in the commit, as Keep does.
func (r *Repo) KeepLeft(ctx context.Context, path, name, commit string) (ref string, err error) {
	err = r.apart(ctx, path, commit, func(_ string, env []string) error {
		head, err := r.gitWith(ctx, path, env, "rev-parse", "--verify", "--end-of-options", cmp.Or(commit, "HEAD")+"^{commit}")
		if err != nil {
			return err
		}
		if _, err := r.inTree(ctx, path, env, "add", "--ignore-removal", "--", "."); err != nil {
			return err
		}
		ref, err = r.store(ctx, path, env, name, strings.TrimSpace(head))
		return err
	})
	return ref, err
}

// apart runs fn with an environment in which git compares a work tree with a commit, and with git's
// record of the work tree. It uses only the files of the work tree: the index is our own, and the
// repository is given by name.
func (r *Repo) apart(ctx context.Context, path, commit string, fn func(record string, env []string) error) (err error) {
	record, err := r.record(path)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tasker-left-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index"), "GIT_DIR=" + cmp.Or(record, r.common), "GIT_WORK_TREE=" + path}
	if _, err := r.gitWith(ctx, path, env, "read-tree", cmp.Or(commit, "HEAD")); err != nil {
		return err
	}
	return fn(record, env)
}

// record returns the directory of git's record of a work tree, or "" if there is none.
func (r *Repo) record(path string) (string, error) {
	all := filepath.Join(r.common, "worktrees")
	records, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	for _, record := range records {
		dir := filepath.Join(all, record.Name())
		text, err := os.ReadFile(filepath.Join(dir, "gitdir"))
		if err == nil && filepath.Clean(filepath.Dir(strings.TrimSpace(string(text)))) == filepath.Clean(path) {
			return dir, nil
		}
	}
	return "", nil
}
