package frame

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

// repository returns the git repository around the working directory, and its work tree there.
func (f *Factory) repository() (task.Repository, task.Checkout) {
	dir := config.CommonGitDir(f.Wiring.Files, f.Process.Dir)
	if dir == "" {
		return task.Repository{}, task.Checkout{}
	}
	host := f.Process.Host()
	return task.Repository{Host: host, Dir: Resolved(dir)}, task.Checkout{Host: host, Root: Resolved(config.WorkTree(f.Wiring.Files, f.Process.Dir))}
}

// PlaceOf returns the place of a directory. Nobody knows it where git does not say, or in a clone without the beginning of its
// history: what runs there may run in the project's repository.
func (f *Factory) PlaceOf(ctx context.Context, dir string) task.Place {
	host := f.Process.Host()
	p := task.Place{Host: digest(host), Path: digest(host + "\x00" + Resolved(dir))}
	if common := config.CommonGitDir(f.Wiring.Files, dir); common != "" {
		p.Repo = digest(host + "\x00" + Resolved(common))
	}
	repo, err := f.Wiring.Repository(ctx, dir)
	if err != nil {
		return task.Place{}
	}
	if repo == nil {
		return p
	}
	roots, whole, err := repo.Roots(ctx)
	if err != nil || !whole {
		return task.Place{}
	}
	p.Roots = roots
	return p
}

// digest returns enough of a digest to tell places apart.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// assume declines a write to the only project there is, which nobody named, if it belongs to another repository. For a
// read it says once whose project it is. Through a server nobody knows the caller's repository, so neither happens.
func (f *Factory) assume(p *task.Project, write bool) error {
	place := f.Elsewhere(p)
	if place == "" {
		return nil
	}
	if write {
		return f.who.MayAssume(p)
	}
	if !f.elsewhere && !f.Flags.Quiet {
		f.Err.Printf("This is the project %s, of another repository: %s\n", p.Slug, place)
	}
	f.elsewhere = true
	return nil
}

// Elsewhere returns where the repository of a project is, or "" if it is not known to be another one than this.
func (f *Factory) Elsewhere(p *task.Project) string {
	if f.who == nil || !f.who.Repo.Apart(p.Repo) {
		return ""
	}
	return p.Repo.Place(f.who.Repo.Host)
}

// ProjectTold returns Project and, like OneProject, says so if the project belongs to another repository. It is for a read
// that finds the project itself.
func (f *Factory) ProjectTold(ctx context.Context) (string, error) {
	slug, err := f.Project()
	if err != nil || slug != "" || f.ServerURL() != "" || f.NoDatabase() {
		return slug, err
	}
	all, err := Call(ctx, f, op.Projects, core.None{})
	if err != nil || len(all) != 1 {
		return "", err
	}
	return "", f.assume(all[0], false)
}
