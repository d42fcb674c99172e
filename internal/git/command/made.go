package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxLog is how much of the end of a work tree's log of HEAD is read, and maxMade how many commits of the history are
// compared with it.
const (
	maxLog  = 1 << 20
	maxMade = 1000
)

// made returns the commits that were made in a work tree since a moment. The log knows seconds: of the commits of that second
// it leaves out those whose object was there before, where that is a file of its own still. It reports false if the
// repository keeps no log of that.
func made(tree string, since time.Time) (commits map[string]bool, known bool) {
	commits = map[string]bool{}
	dir := gitDir(tree)
	path := filepath.Join(dir, "logs", "HEAD")
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxLog), maxLog))
	if err != nil {
		return nil, false
	}
	for line := range strings.Lines(string(text)) {
		head, what, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fields := strings.Fields(head) // old, new, the name and address of the committer, seconds, zone
		if !ok || len(fields) < 4 || !isHash(fields[1]) || !ownWork(what) {
			continue
		}
		commit := fields[1]
		at, err := strconv.ParseInt(fields[len(fields)-2], 10, 64)
		if err != nil || at < since.Unix() ||
			at == since.Unix() && Before(filepath.Join(commonDir(dir), "objects", commit[:2], commit[2:]), since) {
			continue
		}
		commits[commit] = true
	}
	return commits, true
}

// isHash reports whether a text can be the name of an object.
func isHash(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// ownWork reports whether an entry of the log of HEAD says that a commit was made.
func ownWork(what string) bool {
	verb, _, _ := strings.Cut(what, ":")
	step := ""
	if i := strings.LastIndexByte(verb, '('); i >= 0 {
		verb, step = strings.TrimSpace(verb[:i]), strings.TrimSuffix(verb[i+1:], ")")
	}
	first, _, _ := strings.Cut(verb, " ")
	switch first {
	case "commit", "cherry-pick", "revert", "am":
		return true
	case "rebase", "pull": // rebase (pick), rebase -i (reword), pull --rebase (pick)
		return slices.Contains([]string{"pick", "reword", "edit", "squash", "fixup", "continue"}, step)
	}
	return false
}

// Committed returns the files that were changed by the commits that were made in a work tree since a moment (see made) and that are in the history of head. What a merge or a pull brought is not among them: it was changed elsewhere. git asks
// the repository. If that keeps no log of what was made where, all commits on the line of head count.
func Committed(git func(...string) (string, error), tree, head string, since time.Time) ([]string, error) {
	commits, known := made(tree, since)
	args := []string{"log", "-z", "--name-only", "--no-renames", "--no-merges", "--format=%x01%H", "-n", strconv.Itoa(maxMade), fmt.Sprintf("--since=@%d", since.Unix())}
	if !known {
		args = append(args, "--first-parent")
	}
	out, err := git(append(args, head, "--")...)
	if err != nil {
		return nil, err
	}
	var files []string
	counts := false
	for entry := range strings.SplitSeq(out, "\x00") {
		entry = strings.TrimPrefix(entry, "\n") // between the name of a commit and its files
		if commit, ok := strings.CutPrefix(entry, "\x01"); ok {
			counts = !known || commits[commit]
			continue
		}
		if counts && entry != "" {
			files = append(files, entry)
		}
	}
	return files, nil
}
