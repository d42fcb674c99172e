package worktree

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/git/command"
)

// Base is what new work forks from.
type Base struct {
	Name   string // as people say it: main, origin/main
	Commit string
	Remote string // the remote that has the branch; empty for a local one
	Branch string // the branch's name at the remote or here; empty for a tag or a commit
}

// Ref returns git's name for the base, to compare with later: the branch if it is one, else the
// commit.
func (b Base) Ref() string {
	switch {
	case b.Remote != "":
		return "refs/remotes/" + b.Remote + "/" + b.Branch
	case b.Branch != "":
		return "refs/heads/" + b.Branch
	}
	return b.Commit
}

// FetchLimit is how long a remote may take to answer.
const FetchLimit = 20 * time.Second

// Remote returns the remote that the repository works with: origin, or else the only one, or "".
func (r *Repo) Remote(ctx context.Context) (string, error) {
	if r.remote != nil {
		return *r.remote, nil
	}
	name, sure := r.configuredRemote()
	if !sure {
		out, err := r.git(ctx, r.Root, "remote")
		if err != nil {
			return "", err
		}
		switch names := strings.Fields(out); {
		case slices.Contains(names, "origin"):
			name = "origin"
		case len(names) == 1 && !strings.HasPrefix(names[0], "-"):
			name = names[0]
		}
	}
	r.remote = &name
	return name, nil
}

// configuredRemote is Remote for a repository whose own configuration says it plainly: it has origin, or no remote and no
// further files. It saves a process.
func (r *Repo) configuredRemote() (name string, sure bool) {
	text, err := os.ReadFile(filepath.Join(r.common, "config"))
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == `[remote "origin"]` {
			return "origin", true
		}
	}
	lower := strings.ToLower(string(text))
	return "", !strings.Contains(lower, "remote") && !strings.Contains(lower, "include") && !strings.Contains(lower, "worktreeconfig")
}

// Base returns what new work forks from: the configured branch, else the remote's default, else the
// one checked out in the main work tree. It is the remote's branch if a remote has it and answers.
// silent names a remote that did not answer, so what is known of it may be old.
func (r *Repo) Base(ctx context.Context, configured string) (base Base, silent string, err error) {
	base, silent, err = r.base(ctx, configured, true)
	if err == nil {
		r.based = base
	}
	return base, silent, err
}

// BaseKnown is Base without asking a remote.
func (r *Repo) BaseKnown(ctx context.Context, configured string) (Base, error) {
	base, _, err := r.base(ctx, configured, false)
	return base, err
}

func (r *Repo) base(ctx context.Context, configured string, ask bool) (base Base, silent string, err error) {
	remote, err := r.Remote(ctx)
	if err != nil {
		return base, "", err
	}
	if remote == "" && configured == "" {
		if base, err = r.current(ctx); err != nil || base.Commit != "" {
			return base, "", err
		}
	}
	branch := strings.TrimPrefix(configured, "refs/heads/")
	if remote != "" {
		branch = strings.TrimPrefix(branch, remote+"/")
	}
	if branch == "" {
		if branch, err = r.usual(ctx, remote); err != nil {
			return base, "", err
		}
	}
	if strings.HasPrefix(branch, "-") {
		return base, "", fault.Bad("branch.base %q is not the name of a branch", configured)
	}
	if remote != "" && branch != "" {
		if ask && !r.Fetch(ctx, remote, branch, FetchLimit) {
			silent = remote
		}
		base = Base{Name: remote + "/" + branch, Remote: remote, Branch: branch}
		if base.Commit, err = r.resolve(ctx, "refs/remotes/"+remote+"/"+branch); err != nil || base.Commit != "" {
			return base, silent, err
		}
	}
	base, err = r.local(ctx, branch, configured)
	return base, silent, err
}

// current returns the branch checked out in the main work tree. Its commit is empty if no branch is
// checked out or has a commit yet.
func (r *Repo) current(ctx context.Context) (Base, error) {
	ref, err := r.symbolic(ctx, "HEAD")
	branch, ok := strings.CutPrefix(ref, "refs/heads/")
	if err != nil || !ok {
		return Base{}, err
	}
	commit, err := r.resolve(ctx, ref)
	if commit == "" {
		return Base{}, err
	}
	return Base{Name: branch, Branch: branch, Commit: commit}, nil
}

// usual returns the branch that work forks from when the configuration names none.
func (r *Repo) usual(ctx context.Context, remote string) (ref string, err error) {
	if remote != "" {
		ref, err = r.symbolic(ctx, "refs/remotes/"+remote+"/HEAD")
	}
	if ref == "" && err == nil {
		ref, err = r.symbolic(ctx, "HEAD")
	}
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/remotes/"+remote+"/"), "refs/heads/"), err
}

// local returns a base in this repository: a branch, a tag or a commit, or what is checked out if
// none is named.
func (r *Repo) local(ctx context.Context, branch, configured string) (base Base, err error) {
	if branch != "" {
		base = Base{Name: branch, Branch: branch}
		if base.Commit, err = r.resolve(ctx, "refs/heads/"+branch); err != nil || base.Commit != "" {
			return base, err
		}
	}
	base = Base{Name: cmp.Or(configured, "HEAD")}
	if base.Commit, err = r.resolve(ctx, base.Name); err != nil {
		return base, err
	}
	switch {
	case base.Commit != "":
		return base, nil
	case configured != "":
		return base, fault.Bad("branch.base %q is not a branch, tag or commit of %s", configured, r.Root).WithHint("name one that exists, or remove branch.base")
	}
	return base, fault.Decline("%s has no commit yet, so nothing can fork from it", r.Root).WithHint("commit something first")
}

// Fetch brings one branch of a remote up to date and reports whether the remote answered within the
// limit. A silent remote is no fault: work goes on with what is known of it.
func (r *Repo) Fetch(ctx context.Context, remote, branch string, limit time.Duration) bool {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	spec := "+refs/heads/" + branch + ":refs/remotes/" + remote + "/" + branch
	ssh := cmp.Or(os.Getenv("GIT_SSH_COMMAND"), "ssh -o BatchMode=yes -o ConnectTimeout=10") // the user's own, or one that prompts for nothing
	_, err := r.gitWith(ctx, r.Root, []string{"GIT_SSH_COMMAND=" + ssh}, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
		"--upload-pack=git-upload-pack", "--", remote, spec)
	return err == nil
}

// FileAt returns a file of a work tree as a commit has it. found is false if the commit has no such file.
func (r *Repo) FileAt(ctx context.Context, commit, file string) (text []byte, found bool, err error) {
	out, err := r.git(ctx, filepath.Dir(file), "cat-file", "blob", commit+":./"+filepath.Base(file)) // from the directory
	found, err = command.Agreed(err)
	return []byte(out), found, err
}
