package command

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tasker/internal/fault"
)

// Limits of the search for submodules of a work tree.
const (
	maxSubmodules = 1000
	maxDepth      = 20
)

// At returns the programs that a repository's own configuration would run. Its work tree or its git
// directory must be dir itself.
func (g Git) At(ctx context.Context, dir string) (Own, error) {
	private := cmp.Or(gitDir(dir), dir)
	return g.Inspect(ctx, commonDir(private), private)
}

// Within returns the programs that the configurations of a work tree and of its submodules would
// run: git looks into each of them by itself.
func (g Git) Within(ctx context.Context, tree string) (_ Own, err error) {
	private := gitDir(tree)
	if private == "" {
		return g.Own, nil // a bare repository, or nothing
	}
	if g.Own, err = g.At(ctx, tree); err != nil {
		return g.Own, err
	}
	left := maxSubmodules
	return g.below(ctx, tree, private, maxDepth, &left)
}

func (g Git) below(ctx context.Context, tree, private string, depth int, left *int) (Own, error) {
	own := g.Own
	if !mayHoldSubmodules(private) {
		return own, nil
	}
	out, err := g.Run(ctx, tree, nil, "ls-files", "--stage", "-z")
	if err != nil {
		return own, err
	}
	for line := range strings.SplitSeq(out, "\x00") { // MODE HASH STAGE<tab>PATH
		mode, _, _ := strings.Cut(line, " ")
		_, path, _ := strings.Cut(line, "\t")
		if mode != "160000" || path == "" {
			continue
		}
		sub := filepath.Join(tree, filepath.FromSlash(path))
		dir := gitDir(sub)
		if dir == "" {
			continue // it is not checked out
		}
		if *left--; *left < 0 || depth == 0 {
			return own, fault.Decline("%s has more than %d submodules, or submodules nested more than %d deep, so it is not examined", tree, maxSubmodules, maxDepth)
		}
		inner := g
		if inner.Own, err = g.Inspect(ctx, commonDir(dir), dir); err != nil {
			return own, err
		}
		within, err := inner.below(ctx, sub, dir, depth-1, left)
		if err != nil {
			return own, err
		}
		own = own.and(within)
	}
	return own, nil
}

// mayHoldSubmodules reports whether an index has entries with the mode of a submodule. It searches
// all bytes of the index for the mode, so it may say yes when there are none, but never no when
// there is one.
func mayHoldSubmodules(private string) bool {
	files, err := os.ReadDir(private)
	if err != nil || slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), "sharedindex.") }) {
		return true // most entries of a split index are in another file
	}
	index, err := os.ReadFile(filepath.Join(private, "index"))
	if err != nil {
		return !os.IsNotExist(err)
	}
	return bytes.Contains(index, []byte{0, 0, 0xe0, 0})
}

// Shared returns the git directory that all work trees of the repository around dir share, as git
// would find it. It returns "" if there is no repository or only git can say: the repository is
// bare, broken or somebody else's.
func Shared(dir string) string {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil || !filepath.IsAbs(dir) || os.Getenv("GIT_CEILING_DIRECTORIES") != "" {
		return ""
	}
	here, ok := diskOf(dir)
	for ok {
		if private := gitDir(dir); private != "" {
			common := commonDir(private)
			if !ours(dir, filepath.Join(dir, ".git"), private, common) || !isGitDir(private, common) {
				return ""
			}
			common, _ = filepath.EvalSymlinks(common)
			return common
		}
		up := filepath.Dir(dir)
		if disk, found := diskOf(up); up == dir || !found || disk != here || isGitDir(dir, dir) {
			return ""
		}
		dir = up
	}
	return ""
}

// isGitDir reports whether private is the git directory of a work tree and common holds what work
// trees share.
func isGitDir(private, common string) bool {
	for _, path := range []string{filepath.Join(private, "HEAD"), filepath.Join(common, "objects"), filepath.Join(common, "refs")} {
		if _, err := os.Lstat(path); err != nil {
			return false
		}
	}
	return true
}

// gitDir returns the git directory of the repository whose work tree is tree itself, or "".
func gitDir(tree string) string {
	path := filepath.Join(tree, ".git")
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if info.IsDir() {
		return path
	}
	return pointed(path, "gitdir: ", tree)
}

// commonDir returns the git directory that all work trees of a repository share, given that of one
// of them.
func commonDir(dir string) string {
	return cmp.Or(pointed(filepath.Join(dir, "commondir"), "", dir), dir)
}

// pointed returns the directory that a small file names after a prefix, resolved relative to
// another one, or "".
func pointed(file, prefix, to string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), prefix)
	if !ok || name == "" {
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(to, name)
	}
	return name
}
