package worktree

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tasker/internal/git/command"
)

// Changes is what was changed in a work tree since a moment, and what it holds now.
type Changes struct {
	Files  []string // by their paths from its root, in order
	Commit string   // that it has checked out; empty before the first
	Clean  bool     // it holds exactly the files of that commit, and ignored ones
}

// ChangedSince returns the files of the work tree at path that have uncommitted changes from after since, or that a commit
// changed that was made in it since: see command.Committed. A Look at the same work tree that follows
// does not ask git for what is known from here.
func (r *Repo) ChangedSince(ctx context.Context, path string, since time.Time) (Changes, error) {
	var s Seen
	out, err := r.report(ctx, path, nil, "--untracked-files=all")
	if err != nil {
		return Changes{}, err
	}
	r.reports[path] = out
	var files []string
	clean := true
	for entry := range strings.SplitSeq(out, "\x00") {
		if strings.HasPrefix(entry, "# ") {
			s.header(entry)
			continue
		}
		clean = clean && entry == ""
		if file := changedFile(entry); !command.Before(filepath.Join(path, filepath.FromSlash(file)), since) {
			files = append(files, file)
		}
	}
	if s.Commit != "" {
		var committed []string
		git := func(args ...string) (string, error) { return r.git(ctx, path, args...) }
		committed, err = command.Committed(git, path, s.Commit, since)
		files = append(files, committed...)
	}
	slices.Sort(files)
	files = slices.DeleteFunc(slices.Compact(files), func(file string) bool { return file == "" })
	return Changes{Files: files, Commit: s.Commit, Clean: clean && s.Commit != ""}, err
}

// changedFile returns the path in an entry of git's report; see Seen.read.
func changedFile(entry string) string {
	if file, ok := strings.CutPrefix(entry, "? "); ok {
		return file
	}
	parts := partsOf(entry)
	return parts[len(parts)-1]
}

// Tree returns the root of the work tree of this repository that a directory is in, or "" if it is in none.
func (r *Repo) Tree(dir string) string {
	if command.Shared(dir) != r.common {
		return ""
	}
	dir, err := filepath.EvalSymlinks(dir)
	for ; err == nil; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return ""
}
