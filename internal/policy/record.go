package policy

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Recording is what happens to a project's policy of record when a plan is applied, or the project is created.
type Recording struct {
	Changed bool
	Policy  []byte // of the file that declares the project here
	File    string
	Dir     string // of the file, from the root of its repository; empty outside one
	Delta   task.Delta
	Repo    task.Repository // in which the command runs
	Warning string          // what the file loosens, and why the record stays if it does; may be empty
}

// Into writes the record into a project.
func (r Recording) Into(p *task.Project, now task.Time) {
	p.Policy, p.PolicyFile, p.PolicyDir, p.PolicyAt = r.Policy, r.File, r.Dir, now
	if r.Repo.Dir != "" {
		p.Repo = r.Repo
	}
}

// moves returns how the record would move the place in which the lines of its gates run: what they find there decides as much
// as they do.
func (r Recording) moves(before *task.Project) (out []string) {
	if before.PolicyDir != "" && r.Dir != "" && r.Dir != before.PolicyDir {
		out = append(out, "the directory of the file: from "+before.PolicyDir+" to "+r.Dir)
	}
	if before.Repo.Apart(r.Repo) {
		out = append(out, "the repository: from "+before.Repo.Place(r.Repo.Host)+" to "+r.Repo.Place(r.Repo.Host))
	}
	return out
}

// Record decides whether the policy of the file that declares the project becomes its policy of record. The current
// record decides that, never the file that would replace it: if the record declares a human, an agent may only tighten
// it. before is nil for a new project.
func Record(ctx context.Context, env *core.Env, tx *store.Tx, before *task.Project, slug string) (Recording, error) {
	policy, file := env.Settings.FilePolicy(slug)
	r := Recording{Policy: policy, File: file, Dir: env.Settings.FileDir(slug), Repo: core.CallerOf(ctx).Repo}
	var was []byte
	if before != nil {
		was = before.Policy
	}
	if file == "" || len(was) == 0 && string(policy) == "{}" || config.SamePolicy(was, policy) {
		return r, nil
	}
	r.Delta.To = jsontext.Value(policy)
	if len(was) == 0 {
		r.Changed = true
		return r, nil
	}
	r.Delta.From = jsontext.Value(was)
	a, pol, err := env.Settings.ByRecord(before, core.CallerOf(ctx).Actor)
	if err != nil {
		return r, err
	}
	named, err := tx.GatesNamed(slug)
	if err != nil {
		return r, err
	}
	loose, err := config.Loosened(was, policy, func(gate string) bool { return named[gate] })
	loose = append(loose, r.moves(before)...)
	switch may := a.Person() || !pol.DeclaresHuman; {
	case err != nil:
	case len(loose) == 0:
		r.Changed = true
	case may:
		r.Changed = true
		r.Warning = file + " loosens the policy of record of " + slug + ", which counts wherever this file is not: " + words.List(loose)
	default:
		r.Warning = "the policy of record of " + slug + " stays as it was, and counts wherever this file is not: only a human may loosen it, and " +
			file + " does (" + words.List(loose) + ")"
	}
	return r, err
}
