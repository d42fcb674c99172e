package core

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/store"
	"tasker/internal/task"
)

// ProjectOf returns the project that a request is about: the one it names, else the caller's own, else the only one. A
// write is declined if the only one belongs to another repository than the caller's.
func ProjectOf(ctx context.Context, tx store.View, named string) (*task.Project, error) {
	if named == "" {
		named = CallerOf(ctx).Project
	}
	if named != "" {
		return tx.Project(named)
	}
	all, err := tx.Projects()
	if err != nil {
		return nil, err
	}
	switch len(all) {
	case 0:
		return nil, tx.NoProjectYet()
	case 1:
		if now := tx.Current(); now != nil && now.Writes() {
			return all[0], CallerOf(ctx).MayAssume(all[0])
		}
		return all[0], nil
	}
	return nil, fault.Bad("say which project: there are %d", len(all)).WithMissing(task.SlugsOf(all[:min(len(all), 50)])...).
		WithHint("name it with %s", hint.NamingProject())
}

// Find returns the task that a request names by its id. For the command line a key also names a task; the tools look keys
// up before they call an operation. For any other caller a text that is not a task's id names nothing.
func Find(ctx context.Context, tx store.View, name string) (*task.Task, error) {
	return findIn(ctx, tx, CallerOf(ctx).Project, name)
}

// findIn is Find with the project that keys belong to; empty for the only project there is.
func findIn(ctx context.Context, tx store.View, project, name string) (*task.Task, error) {
	if name == "" {
		return nil, fault.Bad("no task is named").WithMissing("id").WithHint("name it by its id, such as demo-4; list them: %s", hint.List())
	}
	t, noID := tx.Task(task.ID(name))
	if noID == nil || !fault.Is(noID, fault.NotFound) || CallerOf(ctx).Via.Face != "cli" {
		return t, noID
	}
	slug, _, isID := task.ParseID(name)
	if isID {
		project = cmp.Or(project, slug)
	}
	p, err := ProjectOf(ctx, tx, project)
	if err == nil {
		t, err = tx.TaskByKey(p.Slug, name)
	}
	if isID && err != nil && (p == nil || fault.Is(err, fault.NotFound)) {
		return spelled(tx, name, noID)
	}
	if fault.Is(err, fault.NotFound) && p != nil {
		return nil, fault.Missing("there is no task %q in %s", name, p.Slug).WithHint("list what there is: %s", hint.ListOf(p.Slug))
	}
	return t, err
}

// spelled returns the task of an id whose slug differs from the project's only in case; otherwise the given error.
func spelled(tx store.View, name string, otherwise error) (*task.Task, error) {
	slug, n, _ := task.ParseID(name)
	all, err := tx.Projects()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.Slug != slug && strings.EqualFold(p.Slug, slug) {
			return tx.Task(task.MakeID(p.Slug, n))
		}
	}
	return nil, otherwise
}

// FindToWrite is Find for a write. It also returns the project, and refuses an archived one.
func (s *Env) FindToWrite(ctx context.Context, tx *store.Tx, name string) (*task.Task, *task.Project, error) {
	t, err := Find(ctx, tx, name)
	if err != nil {
		return nil, nil, err
	}
	p, err := tx.Project(t.Project)
	if err != nil {
		return nil, nil, err
	}
	s.About(p.Slug)
	return t, p, Writable(p)
}

// Writable refuses a write to an archived project.
func Writable(p *task.Project) error {
	if p.Archived {
		return fault.Decline("the project %s is archived", p.Slug).WithHint("%s", BringBack(p))
	}
	return nil
}

// BringBack says how an archived project comes back, which only humans may do.
func BringBack(p *task.Project) fault.Human {
	return fault.ByHuman(p.Slug, fault.Have("bring it back"), "bring it back: %s", hint.Restore(p.Slug))
}

// Below returns the project that a request is about, and the task that it names within it, if any. An id implies its
// project; an id of a project other than the named one is invalid.
func Below(ctx context.Context, tx store.View, project, name string) (*task.Project, task.ID, error) {
	if name == "" {
		p, err := ProjectOf(ctx, tx, project)
		return p, "", err
	}
	t, err := findIn(ctx, tx, cmp.Or(project, CallerOf(ctx).Project), name)
	if err != nil {
		return nil, "", err
	}
	if project != "" && t.Project != project {
		return nil, "", fault.Bad("%s is not a task of %s", t.ID, project).WithHint("name a task of %s, or leave the project out", project)
	}
	p, err := tx.Project(t.Project)
	return p, t.ID, err
}

// Ancestors returns a task's ancestors from its parent up. Parents have no cycles; the limit guards against a database
// that somebody else has written to.
func Ancestors(tx store.View, t *task.Task) ([]*task.Task, error) {
	var out []*task.Task
	for up := t.Parent; up != "" && len(out) < task.MaxTasks; {
		parent, err := tx.Task(task.ID(up))
		if err != nil {
			return out, err
		}
		out = append(out, parent)
		up = parent.Parent
	}
	return out, nil
}

// Meant returns the slugs that a request is about. A named project must exist; an assumed one need not exist yet.
func Meant(tx *store.Tx, named, assumed string) ([]string, error) {
	if slug := cmp.Or(named, assumed); slug != "" {
		p, err := tx.Project(slug)
		if named == "" && fault.Is(err, fault.NotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []string{p.Slug}, nil
	}
	all, err := tx.Projects()
	return task.SlugsOf(all), err
}

// MayAssume declines to write to the only project there is, which nobody named, if it belongs to another repository than
// the one in which the command runs: with one project in the database, every repository would otherwise mean that one.
func (c Caller) MayAssume(p *task.Project) error {
	if !c.Repo.Apart(p.Repo) {
		return nil
	}
	return fault.Decline("the only project there is, %s, belongs to another repository: %s", p.Slug, p.Repo.Place(c.Repo.Host)).
		WithHint("if you mean it, name it with %s; or start a project for this repository: %s", hint.NamingThis(p.Slug), hint.Command("init"))
}

// placing runs a write, and records the caller's repository in the project that the file here declares, if the write was
// about that project and it has none: it was created before repositories were recorded, or outside of one.
//
// Two repositories may declare a project of the same slug, so only the one with the file that the project's policy was
// recorded from is taken for the project's own.
func (s *Env) placing(ctx context.Context, fn func(*store.Tx) error) func(*store.Tx) error {
	repo := CallerOf(ctx).Repo
	if repo.Dir == "" {
		return fn
	}
	return func(tx *store.Tx) error {
		before := tx.LastEvent()
		if err := fn(tx); err != nil || tx.LastEvent() == before {
			return err
		}
		for _, slug := range tx.Known() {
			if err := s.place(tx, slug, repo); err != nil {
				return err
			}
		}
		return nil
	}
}

// place records a repository in a project that has none, if its policy was recorded from the file that declares it here.
func (s *Env) place(tx *store.Tx, slug string, repo task.Repository) error {
	found, err := tx.Find(slug)
	if fault.Is(err, fault.NotFound) { // renamed or deleted by this write
		return nil
	}
	if err != nil || found.Rec.Repo.Dir != "" || found.Rec.PolicyFile == "" {
		return err
	}
	if _, file := s.Settings.FilePolicy(slug); file != found.Rec.PolicyFile {
		return nil
	}
	p, err := tx.Project(slug)
	if err != nil {
		return err
	}
	after := *p
	after.Repo = repo
	return tx.SaveProject(p, &after, ProjectUpdated(task.Payload{"repository": task.Delta{To: repo.Place("")}}))
}

// Unapplied reports whether a missing project is declared by the configuration and within the caller's reach: a plan
// creates it, and asking before that is not a mistake.
func (s *Env) Unapplied(ctx context.Context, project string) bool {
	if within := CallerOf(ctx).Scope.Projects; len(within) > 0 && !slices.Contains(within, project) {
		return false
	}
	_, file := s.Settings.FilePolicy(project)
	return file != ""
}

// UnappliedIn returns the project that err reports as missing if the configuration declares it, or "".
func (s *Env) UnappliedIn(ctx context.Context, err error) string {
	name := task.UnknownProjectIn(err)
	if name == "" || !s.Unapplied(ctx, name) {
		return ""
	}
	return name
}

// advise returns an error of an operation, which may be nil, with better advice if it is about a project that is
// declared but not applied yet: a list of the other projects would not help.
func (s *Env) advise(ctx context.Context, err error) error {
	if name := s.UnappliedIn(ctx, err); name != "" {
		return NotApplied(err, name)
	}
	return err
}

// NotApplied returns the error for a missing project that the configuration declares.
func NotApplied(err error, project string) error {
	return fault.Missing("%s: the configuration declares the project, and no plan has been applied yet", fault.Of(err).Message).
		WithHint("the first plan or task creates it: %s, %s; an agent that was not asked for a plan asks its person what to do",
			hint.ApplyFile(), hint.Add(project)).
		WithCause(err)
}
