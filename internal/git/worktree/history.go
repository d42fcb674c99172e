package worktree

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"tasker/internal/git/command"
)

// history holds the commits of all branches, local and remote. Reading it once saves a process for
// each question about them.
type history struct {
	commits  map[string]commit
	newest   []string            // all of them, in git's order
	children map[string][]string // of each commit
	branches []branch            // by their full names
	landed   map[[2]string]bool  // results of Landed by commit and base
}

type commit struct {
	tree    string
	written string // when its author wrote it, which a rebase keeps
	parents []string
}

// branch is a ref with the commit that it points to.
type branch struct{ ref, commit string }

// Survey reads the history of all branches, which is valid until the next fetch. With more than
// historyLimit commits it reads none, and later calls ask git for what they need.
func (r *Repo) Survey(ctx context.Context) error {
	r.known = nil
	out, err := r.git(ctx, r.Root, "log", "--format=%H %T %at %P,%D", "--decorate=full", "--decorate-refs=refs/heads", "--decorate-refs=refs/remotes",
		"-n", strconv.Itoa(historyLimit), "--branches", "--remotes", "--")
	if read, err := command.Agreed(err); !read { // the code that needs a broken ref reports it
		return err
	}
	h := &history{commits: map[string]commit{}, children: map[string][]string{}, landed: map[[2]string]bool{}}
	for line := range strings.Lines(out) {
		h.read(strings.TrimSuffix(line, "\n"))
	}
	if len(h.newest) < historyLimit {
		slices.SortFunc(h.branches, func(a, b branch) int { return cmp.Compare(a.ref, b.ref) })
		r.known = h
	}
	return nil
}

// read adds a commit: "COMMIT TREE TIME PARENT PARENT,HEAD -> REF, REF".
func (h *history) read(line string) {
	objects, refs, _ := strings.Cut(line, ",")
	names := strings.Fields(objects)
	if len(names) < 3 {
		return
	}
	is, parents := names[0], names[3:]
	h.newest = append(h.newest, is)
	h.commits[is] = commit{names[1], names[2], parents}
	for _, p := range parents {
		h.children[p] = append(h.children[p], is)
	}
	for ref := range strings.SplitSeq(refs, ", ") {
		if ref = strings.TrimPrefix(ref, "HEAD -> "); strings.HasPrefix(ref, "refs/") {
			h.branches = append(h.branches, branch{ref, is})
		}
	}
}

// tip returns the commit for the full name of a branch or for a commit, or "" if the history lacks
// it.
func (h *history) tip(name string) string {
	if h == nil {
		return ""
	}
	if _, ok := h.commits[name]; ok {
		return name
	}
	i, ok := slices.BinarySearchFunc(h.branches, name, func(b branch, name string) int { return cmp.Compare(b.ref, name) })
	if !ok {
		return ""
	}
	return h.branches[i].commit
}

// both returns the commits that two names stand for, and whether the history has both.
func (h *history) both(a, b string) (ca, cb string, ok bool) {
	ca, cb = h.tip(a), h.tip(b)
	return ca, cb, ca != "" && cb != ""
}

// reach returns the commits that steps lead to from the given ones, including those.
func reach(step func(string) []string, from ...string) map[string]bool {
	seen := map[string]bool{}
	for len(from) > 0 {
		is := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[is] {
			seen[is] = true
			from = append(from, step(is)...)
		}
	}
	return seen
}

func (h *history) parents(of string) []string { return h.commits[of].parents }

// without returns the commits that one has and the others lack.
func (h *history) without(one string, others ...string) (out []string) {
	has := reach(h.parents, others...)
	for is := range reach(h.parents, one) {
		if !has[is] {
			out = append(out, is)
		}
	}
	return out
}

// containing returns the full names of the branches that have a commit.
func (h *history) containing(is string) (refs []string) {
	has := reach(func(of string) []string { return h.children[of] }, is)
	for _, b := range h.branches {
		if has[b.commit] {
			refs = append(refs, b.ref)
		}
	}
	return refs
}

// remotes returns the tips of remote branches.
func (h *history) remotes() (tips []string) {
	for _, b := range h.branches {
		if strings.HasPrefix(b.ref, "refs/remotes/") {
			tips = append(tips, b.commit)
		}
	}
	return tips
}

// withTree returns the commits that have exactly these files, newest first.
func (h *history) withTree(tree string) (commits []string) {
	for _, is := range h.newest {
		if h.commits[is].tree == tree && len(commits) < sameLimit {
			commits = append(commits, is)
		}
	}
	return commits
}

// straight reports whether base has everything that a commit has. ok is false if neither has the
// other in its history: then their changes have to be compared. Merges change nothing by
// themselves.
func (h *history) straight(is, base string) (landed, ok bool) {
	is, base, ok = h.both(is, base)
	if !ok || len(h.without(base, is)) > 0 && len(h.without(is, base)) > 0 {
		return false, false
	}
	changes := slices.ContainsFunc(h.without(is, base), func(c string) bool { return len(h.commits[c].parents) < 2 })
	return !changes || h.commits[is].tree == h.commits[base].tree, true
}

// mayBeRebased reports whether the base may have the changes of a commit as other commits: whether, for each commit that it
// lacks, it has one of its own that was written in the same second. It returns true if the history lacks either name.
func (h *history) mayBeRebased(is, base string) bool {
	is, base, ok := h.both(is, base)
	if !ok {
		return true
	}
	there := map[string]bool{}
	for _, c := range h.without(base, is) {
		there[h.commits[c].written] = true
	}
	return !slices.ContainsFunc(h.without(is, base), func(c string) bool {
		return len(h.commits[c].parents) < 2 && !there[h.commits[c].written]
	})
}
