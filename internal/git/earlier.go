package git

import (
	"context"
	"path/filepath"
	"strings"

	"tasker/internal/git/command"
)

// maxVersions is how many commits that changed a file Earlier looks at.
const maxVersions = "200"

// Earlier returns the newest version of a file that satisfies is, from the history of what is
// checked out. found is false if no version does.
func (r *Repo) Earlier(ctx context.Context, file string, is func(text []byte) bool) (text []byte, found bool, err error) {
	top, err := filepath.EvalSymlinks(r.top)
	if err != nil {
		return nil, false, err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(file)) // the file itself may be gone
	if err != nil {
		return nil, false, nil //nolint:nilerr // its directory is gone too, so its path in the repository is unknown
	}
	path, err := filepath.Rel(top, filepath.Join(dir, filepath.Base(file)))
	if err != nil || !filepath.IsLocal(path) {
		return nil, false, err
	}
	path = filepath.ToSlash(path)
	head, err := r.head(ctx)
	if err != nil || head == "" {
		return nil, false, err
	}
	err = r.apart(ctx, head, func(git func(...string) (string, error)) error {
		commits, err := git("log", "--format=%H", "-n", maxVersions, "HEAD", "--", ":(literal,top)"+path)
		if err != nil {
			return err
		}
		for commit := range strings.FieldsSeq(commits) {
			out, err := git("cat-file", "blob", commit+":"+path)
			if command.Refused(err) { // this one removed it
				continue
			}
			if err != nil {
				return err
			}
			if is([]byte(out)) {
				text, found = []byte(out), true
				return nil
			}
		}
		return nil
	})
	return text, found, err
}
