package git

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tasker/internal/git/command"
)

// Changed returns up to limit files of the work tree, by their paths from its root, that have
// uncommitted changes or were changed by a commit that was made in it since: see
// command.Committed. It leaves out uncommitted changes from before since: a file that was untracked
// or edited then, and was not touched afterwards.
func (r *Repo) Changed(ctx context.Context, since time.Time, limit int) ([]string, error) {
	head, err := r.head(ctx)
	if err != nil {
		return nil, err
	}
	var files []string
	err = r.apart(ctx, head, func(git func(...string) (string, error)) error {
		out, err := git("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all")
		if err != nil {
			return err
		}
		for entry := range strings.SplitSeq(out, "\x00") {
			if len(entry) > 3 && !command.Before(filepath.Join(r.top, entry[3:]), since) {
				files = append(files, entry[3:])
			}
		}
		if head == "" {
			return nil
		}
		committed, err := command.Committed(git, r.top, head, since)
		files = append(files, committed...)
		return err
	})
	slices.Sort(files)
	files = slices.Compact(files)
	return files[:min(len(files), limit)], err
}
