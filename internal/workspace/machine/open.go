package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/git/worktree"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/workspace"
)

// OpenOptions says how to open a workspace.
type OpenOptions struct {
	Here     string // use this directory, a work tree that another tool made, and remove nothing from it
	Branch   bool   // in place: switch the repository to the task's branch
	BaseOnly bool   // leave out the branches of dependencies that are not on the base yet
}

// Open makes the workspace of a task. It leaves an open one as it is, and first undoes what a crash
// left half made.
func (m *Manager) Open(ctx context.Context, s Subject, o OpenOptions) (workspace.View, error) {
	fence, holds, release, err := m.enter(ctx, s.ID, workspace.ToOpen)
	if err != nil {
		return workspace.View{}, err
	}
	defer release()
	var settled []string
	there, err := m.find(ctx, s.ID)
	if err != nil {
		return workspace.View{}, err
	}
	if there != nil {
		if there.Record.State == workspace.Open && exists(there.Path) {
			return m.again(ctx, *there, fence, holds)
		}
		if settled, err = m.settle(ctx, there, keep); err != nil {
			return workspace.View{}, err
		}
	}
	w, warnings, err := m.plan(ctx, s, o)
	if err != nil {
		return workspace.View{}, err
	}
	shared, err := m.shared(ctx, &w, o.Branch)
	if err != nil {
		return workspace.View{}, err
	}
	warnings = slices.Concat(settled, warnings, shared)
	if err := m.writable(ctx, &w); err != nil {
		return workspace.View{}, err
	}
	v, err := m.begin(ctx, w, fence)
	if err != nil {
		return workspace.View{}, err
	}
	if v, err = m.make(ctx, v, o); err != nil {
		return workspace.View{}, err
	}
	v.Warnings = append(v.Warnings, warnings...)
	return v, nil
}

// shared warns if another task is worked on in the directory that a workspace will have. It declines to switch the branch
// there, which would change the files under the feet of the other task's worker.
func (m *Manager) shared(ctx context.Context, w *workspace.Workspace, branch bool) ([]string, error) {
	if w.OwnTree {
		return nil, nil
	}
	all, err := m.Workspaces.List(core.Doing(ctx, "workspace-list"), workspace.Query{Host: m.Host})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(v workspace.View) bool { return v.Path == w.Path && v.Task != w.Task && !v.Closed })
	if i < 0 {
		return nil, nil
	}
	other := all[i]
	trees := hint.Command("config set workspace.strategy " + workspace.Worktree)
	if branch {
		return nil, fault.Decline("%s is also being worked on in %s, and switching the branch would change its files", other.Task, w.Path).
			WithHint("give each task a work tree of its own: %s; or close that workspace first: %s", trees, hint.Command("workspace close "+string(other.Task)))
	}
	holder := ""
	if other.Claim != nil {
		holder = " by " + other.Claim.Actor
	}
	return []string{fmt.Sprintf("%s is being worked on%s in the same directory, %s; to give each task a work tree of its own: %s", other.Task, holder, w.Path, trees)}, nil
}

// again opens a workspace that is already open and leaves it as it is. Under a new claim it
// fingerprints the guidance again, because the new holder follows the files as they are now. A
// human who does not hold the task only learns where the workspace is.
func (m *Manager) again(ctx context.Context, v workspace.View, fence *int64, holds bool) (workspace.View, error) {
	if !holds || v.Claim == nil || v.Claim.Fence == v.Record.Fence {
		return v, nil
	}
	return m.call(ctx, workspace.Made{Workspace: *v.Record, From: workspace.Open, Taken: true, To: workspace.ToOpen, Fence: fence})
}

// settle undoes or finishes a workspace that a crash interrupted, and returns warnings. What
// somebody has added to a half-made one since is rescued.
func (m *Manager) settle(ctx context.Context, v *workspace.View, how rescue) (warnings []string, err error) {
	if v.Record.State == workspace.Closing {
		out, err := m.resume(ctx, v, false)
		return out.Warnings, err
	}
	if warnings, err = m.salvage(ctx, v.Record, how); err != nil {
		return nil, err
	}
	m.Tell("undoing what was left of the workspace of %s in %s", v.Task, v.Path)
	return warnings, m.undo(ctx, v.Record)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// plan decides the directory and base of the workspace. It changes nothing except what git knows
// about the remote.
func (m *Manager) plan(ctx context.Context, s Subject, o OpenOptions) (w workspace.Workspace, warnings []string, err error) {
	w = workspace.Workspace{Task: s.ID, Host: m.Host, Root: m.root(), Path: m.root(), Strategy: m.Config.Workspace.Strategy}
	switch {
	case o.Here != "":
		return m.planHere(ctx, w, o.Here)
	case m.Repo == nil && w.Strategy == workspace.Worktree:
		return w, nil, fault.Decline("%s is not in a git repository, and workspace.strategy is worktree", m.Dir).
			WithHint("run git init there, or set workspace.strategy to in-place")
	case w.Strategy == workspace.InPlace && !o.Branch:
		if m.Repo != nil {
			seen, err := m.Repo.Look(ctx, m.root(), "", false)
			if err != nil {
				return w, nil, err
			}
			w.Branch = seen.Branch
		}
		return w, nil, nil
	case m.Repo == nil:
		return w, nil, fault.Decline("%s is not in a git repository, so there is no branch to switch to", m.Dir).WithHint("leave out --branch")
	}
	if w.Branch, err = workspace.Branch(m.Config.BranchPrefix(), m.Config.Branch.Template, s.ID, s.Title); err != nil {
		return w, nil, err
	}
	if w.Strategy == workspace.Worktree {
		if w.Path, err = m.treePath(s.ID); err != nil {
			return w, nil, err
		}
		w.OwnTree = true
	}
	return m.planBase(ctx, w, s, o.BaseOnly)
}

// planHere uses a work tree that somebody else made.
func (m *Manager) planHere(ctx context.Context, w workspace.Workspace, dir string) (workspace.Workspace, []string, error) {
	repo, err := worktree.Find(ctx, dir)
	if err != nil {
		return w, nil, err
	}
	w.Path, w.Root, w.Strategy = dir, dir, workspace.InPlace
	if repo == nil {
		return w, nil, nil
	}
	w.Root = repo.Root
	trees, err := repo.Trees(ctx)
	if err != nil {
		return w, nil, err
	}
	best := 0
	for _, t := range trees { // they may nest: the innermost counts
		if within(t.Path, dir) && len(t.Path) > best {
			best, w.Path, w.Branch = len(t.Path), t.Path, t.Branch
		}
	}
	base, _, err := m.askBase(ctx, repo)
	if err == nil {
		w.Base, w.Against = base.Name, base.Ref()
	}
	return w, nil, nil // without a base there is just nothing to compare with
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// askBase returns the base of new work, and warns if its remote did not answer. It says so while it
// waits for a remote.
func (m *Manager) askBase(ctx context.Context, repo *worktree.Repo) (base worktree.Base, warnings []string, err error) {
	return m.askBaseNamed(ctx, repo, m.Config.Branch.Base)
}

// askBaseNamed is askBase for a branch that is configured elsewhere.
func (m *Manager) askBaseNamed(ctx context.Context, repo *worktree.Repo, configured string) (base worktree.Base, warnings []string, err error) {
	timer := time.AfterFunc(time.Second, func() {
		m.Tell("waiting for the remote of %s to answer, for at most %s", repo.Root, worktree.FetchLimit)
	})
	defer timer.Stop()
	base, silent, err := repo.Base(ctx, configured)
	if silent != "" {
		warnings = []string{fmt.Sprintf("the remote %s did not answer; %s is as it was last seen here", silent, base.Name)}
	}
	return base, warnings, err
}

// planBase decides what the branch starts from: the base, with the branches of done dependencies that
// are not on the base yet merged in, unless baseOnly leaves them out. It declines branches that conflict: a worker who
// lacks what its task builds on would do that work again.
func (m *Manager) planBase(ctx context.Context, w workspace.Workspace, s Subject, baseOnly bool) (workspace.Workspace, []string, error) {
	base, warnings, err := m.askBase(ctx, m.Repo)
	if err != nil {
		return w, nil, err
	}
	w.Base, w.From, w.Against = base.Name, base.Commit, base.Ref()
	there, inUse, err := m.Repo.Branch(ctx, w.Branch)
	if err != nil {
		return w, warnings, err
	}
	if inUse && w.OwnTree {
		if at, err := m.Repo.CheckedOut(ctx, w.Branch); err != nil {
			return w, warnings, err
		} else if at != nil && !at.Gone && at.Path != w.Path {
			return w, warnings, fault.Decline("the branch %s is checked out in %s", w.Branch, at.Path).
				WithHint("switch to another branch there, or take that directory: %s", hint.Command("workspace open "+string(s.ID)+" --here"))
		}
	}
	if there != "" { // somebody worked on it before
		w.From = there
		return w, warnings, nil
	}
	w.OwnRef = true
	if baseOnly {
		return w, warnings, nil
	}
	var in *clash
	if w.From, in, err = m.building(ctx, &w, base, base.Commit, s); err == nil && in != nil {
		err = fault.Decline("%s, and %s builds on both", in.words(base), s.ID).
			WithHint("let whoever did %s merge the other in, or start without them: %s", in.task, hint.Command("workspace open "+string(s.ID)+" --base-only"))
	}
	return w, warnings, err
}

// clash is a branch of a dependency that cannot be merged in.
type clash struct {
	built
	with  *built // the branch that it conflicts with; nil for the base, or the work that is there
	files []string
}

// built is the branch of a dependency.
type built struct {
	task           task.ID
	branch, commit string
}

func (b built) String() string { return string(b.task) + " (" + b.branch + ")" }

// words says which two branches conflict, and where.
func (c clash) words(base worktree.Base) string {
	with := base.Name
	if c.with != nil {
		with = c.with.String()
	}
	return fmt.Sprintf("the work on %s and %s conflict in %s", c, with, strings.Join(c.files, ", "))
}

// building merges the branches of dependencies that are not on the base yet into one commit, and says so in the base of
// the workspace. If two conflict, it returns the commit that it was given, and which.
func (m *Manager) building(ctx context.Context, w *workspace.Workspace, base worktree.Base, from string, s Subject) (tip string, in *clash, err error) {
	tip = from
	var merged []built
	for _, dep := range s.Deps {
		branch, err := workspace.Branch(m.Config.BranchPrefix(), m.Config.Branch.Template, dep.ID, dep.Title)
		if err != nil {
			continue // no branch could get such a name either
		}
		commit, err := m.Repo.Commit(ctx, branch)
		landed := commit == ""
		if err == nil && !landed {
			landed, err = m.Repo.Landed(ctx, commit, base.Commit)
		}
		if err != nil {
			return from, nil, err
		}
		if landed {
			continue
		}
		next, conflict, err := m.Repo.Merged(ctx, tip, commit, "Merge "+branch+" for "+string(s.ID))
		if err != nil {
			return from, nil, err
		}
		one := built{dep.ID, branch, commit}
		if conflict != nil {
			in, err := m.between(ctx, one, merged, conflict)
			return from, in, err
		}
		tip, merged = next, append(merged, one)
	}
	if len(merged) > 0 {
		w.Base = base.Name + " + " + strings.Join(words.Each(merged, func(b built) string { return string(b.task) }), ", ") + " (not landed)"
	}
	return tip, nil, nil
}

// between finds the branch that conflicts with one, among those that were merged in before it.
func (m *Manager) between(ctx context.Context, one built, merged []built, files []string) (*clash, error) {
	for i := range merged {
		_, conflict, err := m.Repo.Merged(ctx, merged[i].commit, one.commit, "Try "+one.branch)
		if err != nil {
			return nil, err
		}
		if conflict != nil {
			return &clash{one, &merged[i], conflict}, nil
		}
	}
	return &clash{one, nil, files}, nil
}

// begin chooses ports and records the workspace before anything is made.
func (m *Manager) begin(ctx context.Context, w workspace.Workspace, fence *int64) (v workspace.View, err error) {
	const attempts = 20 // others take ports at the same time
	for range attempts {
		if w.Ports, err = m.ports(ctx); err != nil {
			return v, err
		}
		v, err = m.Workspaces.Begin(core.Doing(ctx, "workspace-begin"), workspace.BeginIn{Workspace: w, Fence: fence})
		if !fault.Is(err, fault.Conflict) || len(w.Ports) == 0 {
			return v, err
		}
	}
	return v, err
}

func (m *Manager) ports(ctx context.Context) ([]int, error) {
	want := m.Config.Workspace.Ports
	if want == nil {
		return nil, nil
	}
	taken, err := m.Workspaces.Ports(core.Doing(ctx, "workspace-ports"), workspace.PortsIn{Host: m.Host})
	if err != nil {
		return nil, err
	}
	free := m.Free(ctx, want.Range[0], want.Range[1], want.PerTask, func(port int) bool { return taken[port] != "" })
	if len(free) == want.PerTask {
		return free, nil
	}
	var who []string
	for port := want.Range[0]; port <= want.Range[1]; port++ {
		if by := cmp.Or(string(taken[port]), "another program"); !slices.Contains(free, port) {
			who = append(who, fmt.Sprintf("%d: %s", port, by))
		}
	}
	return nil, fault.Decline("workspace.ports.range %d to %d has %s, but a task needs %d%s", want.Range[0], want.Range[1],
		words.Count(len(free), "free port", "free ports"), want.PerTask, words.When(len(who) > 0, " ("+first(who, 50)+")")).
		WithHint("close a workspace, stop what is listening there, or widen the range")
}

// make makes what is recorded. If something fails, it undoes everything.
func (m *Manager) make(ctx context.Context, v workspace.View, o OpenOptions) (workspace.View, error) {
	out, err := m.build(ctx, v, o)
	if err == nil {
		return out, nil
	}
	undo := context.WithoutCancel(ctx)
	if bad := m.undo(undo, v.Record); bad != nil {
		return out, errors.Join(err, fault.New(fault.Internal, "what was made in %s could not be undone: %v", v.Path, bad).
			WithHint("%s tries again", hint.Command("workspace prune")))
	}
	return out, err
}

func (m *Manager) build(ctx context.Context, v workspace.View, o OpenOptions) (workspace.View, error) {
	w := v.Record
	if err := m.tree(ctx, w, o); err != nil {
		return v, err
	}
	if err := m.startLog(w); err != nil {
		return v, err
	}
	provided, err := m.provide(ctx, w)
	if err != nil {
		return v, err
	}
	other, err := m.files(ctx, w, provided.Files)
	if err != nil {
		return v, err
	}
	if len(other) > 0 {
		v.Warnings = append(v.Warnings, "existing files were left as they are, although they differ from what the providers give: "+some(other))
	}
	if err := m.steps(ctx, w, stage{
		phase: "setup", steps: m.Config.Workspace.Setup, state: workspace.Opening, env: m.Environment(v, provided), secret: secrets(provided),
	}); err != nil {
		return v, err
	}
	opened := *w
	opened.State = workspace.Open
	if err := m.look(ctx, &opened, true); err != nil {
		return v, err
	}
	out, err := m.call(ctx, workspace.Made{Workspace: opened, From: workspace.Opening, Opened: true})
	out.Warnings = append(out.Warnings, v.Warnings...)
	return out, err
}

// tree makes the work tree, or switches the repository.
func (m *Manager) tree(ctx context.Context, w *workspace.Workspace, o OpenOptions) error {
	switch {
	case w.OwnTree:
		if err := m.Repo.Exclude(worktree.Pattern(filepath.ToSlash(m.Config.Workspace.Dir)) + "/"); err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(w.Path), 0o755); err != nil { //nolint:gosec // a directory of the repository, as open as the repository
			return fault.Decline("%s cannot be created: %v", filepath.Dir(w.Path), err).WithCause(err)
		}
		return m.Repo.Add(ctx, w.Path, w.Branch, w.From)
	case o.Branch && o.Here == "":
		return m.Repo.Switch(ctx, w.Path, w.Branch, w.From)
	}
	return nil
}

// writable refuses a workspace whose providers would write a file that the repository tracks,
// before anything is made.
func (m *Manager) writable(ctx context.Context, w *workspace.Workspace) error {
	if !w.OwnTree {
		return nil
	}
	names, err := m.Writes()
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !exists(filepath.Join(m.root(), filepath.FromSlash(name))) })
	if len(names) == 0 {
		return nil
	}
	tracked, err := m.Repo.Among(ctx, w.From, names)
	if err != nil || len(tracked) == 0 {
		return err
	}
	return tracks(tracked[0])
}

// files writes the providers' files into the workspace, and hides them from git there.
func (m *Manager) files(ctx context.Context, w *workspace.Workspace, files []workspace.File) (other []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	repo := m.Repo
	tracked := func(string) (bool, error) { return false, nil }
	if repo != nil && w.Branch != "" {
		tracked = func(path string) (bool, error) { return repo.Tracks(ctx, w.Path, path) }
		var names []string
		for _, f := range files {
			if w.OwnTree || !exists(filepath.Join(w.Path, f.Path)) {
				names = append(names, filepath.ToSlash(f.Path))
			}
		}
		if err := repo.Hide(ctx, w.Path, names...); err != nil {
			return nil, err
		}
	}
	w.Files, other, err = write(w, files, tracked)
	return other, err
}

// seen returns what the work tree holds, compared with its base.
func (m *Manager) seen(ctx context.Context, w *workspace.Workspace, ignored bool) (worktree.Seen, error) {
	repo, err := m.repo(ctx, w)
	if err != nil {
		return worktree.Seen{}, err
	}
	return repo.Look(ctx, w.Path, w.Against, ignored)
}

// look records what the work tree holds.
func (m *Manager) look(ctx context.Context, w *workspace.Workspace, ignored bool) error {
	if w.Branch == "" {
		return nil
	}
	seen, err := m.seen(ctx, w, ignored)
	if err != nil {
		return err
	}
	w.Seen = &workspace.Seen{Commit: seen.Commit, Dirty: seen.Dirty(), Ahead: seen.Ahead, Behind: seen.Behind, Landed: seen.Landed && w.Against != "",
		Pushed: seen.Remote && seen.Unpushed == 0}
	if ignored {
		w.Ignored = seen.Ignored
	}
	return nil
}

// undo removes what was made of a workspace that is not open yet, in reverse order, its record
// last.
func (m *Manager) undo(ctx context.Context, w *workspace.Workspace) error {
	if w.OwnTree {
		repo, err := m.repo(ctx, w)
		if err != nil {
			return err
		}
		if err := repo.Remove(ctx, w.Path); err != nil {
			return err
		}
		if w.OwnRef {
			if err := repo.DropBranch(ctx, w.Branch, w.From); err != nil {
				return err
			}
		}
	} else {
		m.unwrite(ctx, w)
	}
	fence, err := m.Fence(ctx, w.Task)
	if err != nil {
		return err
	}
	_, err = m.Workspaces.Drop(core.Doing(ctx, "workspace-drop"), workspace.DropIn{Task: w.Task, Host: w.Host, Fence: fence})
	return err
}

// unwrite removes the providers' files from a directory that stays.
func (m *Manager) unwrite(ctx context.Context, w *workspace.Workspace) {
	root, err := os.OpenRoot(w.Path)
	if err != nil {
		return
	}
	for _, name := range w.Files {
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			m.Tell("%s cannot be removed from %s: %v", name, w.Path, err)
		}
	}
	_ = root.Close()
	if m.Repo != nil && len(w.Files) > 0 {
		if err := m.Repo.Unhide(ctx, w.Path); err != nil {
			m.Tell("files of %s stay hidden from git: %v", w.Path, err)
		}
	}
}
