package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/git/command"
)

// unfiltered refuses to check out a commit whose files go through a filter that only the
// repository's own configuration defines. Such a filter is a program that somebody else chose, so
// it does not run, and without it the files would be wrong.
func (r *Repo) unfiltered(ctx context.Context, commit string) error {
	if commit == "" {
		return nil
	}
	for _, name := range r.door.Own.Filters {
		uses, err := r.usesFilter(ctx, commit, name)
		if err != nil {
			return err
		}
		if uses {
			return fault.Decline("files of %s go through the filter %q, which the repository's own configuration defines; "+
				"only filters from the user's and the system's configuration are run", r.Root, name).
				WithHint("a person who trusts it can define it in their own configuration; for Git LFS that is git lfs install")
		}
	}
	return nil
}

// usesFilter reports whether the attributes of a commit, or the repository's uncommitted ones, name
// a filter.
func (r *Repo) usesFilter(ctx context.Context, commit, name string) (bool, error) {
	word := "filter=" + name
	text, _ := os.ReadFile(filepath.Join(r.common, "info", "attributes")) // most have none
	if slices.Contains(strings.Fields(string(text)), word) {
		return true, nil
	}
	commit, err := r.resolve(ctx, commit)
	if err != nil || commit == "" {
		return false, err // the checkout reports a missing commit
	}
	lines, err := r.git(ctx, r.Root, "grep", "-h", "--fixed-strings", "-e", word, commit, "--", ":(top,glob)**/.gitattributes")
	if command.Exit(err) == 1 {
		return false, nil
	}
	return slices.Contains(strings.Fields(lines), word), err
}
