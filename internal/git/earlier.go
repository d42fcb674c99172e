package git

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"

	"tasker/internal/git/command"
)

// maxVersions is how many commits that changed a file Earlier looks at.
const maxVersions = "200"

// Earlier returns the newest version of a file that satisfies is, from the history of what is
// checked out. found is false if no version does.
func (r *Repo) Earlier(ctx context.Context, file string, is func(text []byte) bool) (text []byte, found bool, err error) {
	dir := filepath.Dir(file) // the file itself may be gone
	if _, err := os.Stat(dir); err != nil || r.From(dir) == "" {
		return nil, false, nil //nolint:nilerr // its directory is gone too, so its path in the repository is unknown
	}
	head, err := r.head(ctx)
	if err != nil || head == "" {
		return nil, false, err
	}
	path := path.Join(r.From(dir), filepath.Base(file))
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
