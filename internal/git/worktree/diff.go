package worktree

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"tasker/internal/git/command"
)

// FileDiff is a file that differs between two commits, with how many lines were added and removed.
type FileDiff struct {
	Path    string `json:"path"`
	Added   *int   `json:"added"` // null, as removed, for a file that is not text
	Removed *int   `json:"removed"`
	Outside bool   `json:"outside"` // the task's touches do not cover it
}

// Fork returns the newest commit that two have in common, or "" if they have none.
func (r *Repo) Fork(ctx context.Context, one, other string) (string, error) {
	return command.Answered(r.line(ctx, r.Root, "merge-base", "--end-of-options", one, other))
}

// Known returns the commit of a branch here, or else of the same branch as the remote last had it, with its full name;
// both are empty if neither is known.
func (r *Repo) Known(ctx context.Context, branch, remote string) (commit, ref string, err error) {
	refs := []string{"refs/heads/" + branch}
	if remote != "" {
		refs = append(refs, "refs/remotes/"+remote+"/"+branch)
	}
	for _, ref := range refs {
		if commit, err = r.resolve(ctx, ref); err != nil || commit != "" {
			return commit, ref, err
		}
	}
	return "", "", nil
}

// Files returns the files that differ between two commits, by their paths.
func (r *Repo) Files(ctx context.Context, from, to string) ([]FileDiff, error) {
	out, err := r.git(ctx, r.Root, append(between("--numstat", "-z"), from, to, "--")...)
	if err != nil {
		return nil, err
	}
	files := []FileDiff{}
	for entry := range strings.SplitSeq(out, "\x00") { // "ADDED TAB REMOVED TAB PATH", or "-" for what is not text
		part := strings.SplitN(entry, "\t", 3)
		if len(part) != 3 {
			continue
		}
		f := FileDiff{Path: strings.ToValidUTF8(part[2], "\ufffd")}
		added, err1 := strconv.Atoi(part[0])
		removed, err2 := strconv.Atoi(part[1])
		if cmp.Or(err1, err2) == nil {
			f.Added, f.Removed = &added, &removed
		}
		files = append(files, f)
	}
	return files, nil
}

// maxDifference is how many bytes of a difference are read.
const maxDifference = 8 << 20

// Difference returns the lines in which two commits differ, as git prints them. It declines a difference of more than 8 MiB.
func (r *Repo) Difference(ctx context.Context, from, to string) (string, error) {
	door := r.door
	door.Limit = maxDifference
	return door.Run(ctx, r.Root, nil, append(between("--no-color"), from, to, "--")...)
}

// between returns the arguments of a diff that runs no program which a repository names.
func between(how ...string) []string {
	return append(append([]string{"diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--submodule=short"}, how...), "--end-of-options")
}
