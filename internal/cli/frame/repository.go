package frame

import (
	"context"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

// repository returns the git repository around the working directory.
func (f *Factory) repository() task.Repository {
	dir := config.CommonGitDir(f.Wiring.Files, f.Process.Dir)
	if dir == "" {
		return task.Repository{}
	}
	return task.Repository{Host: f.Process.Host(), Dir: Resolved(dir)}
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
