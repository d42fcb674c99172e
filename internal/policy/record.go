package policy

import (
	"context"
	"path/filepath"

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
	Moved   bool            // the policy is the same, in another place
	Repo    task.Repository // in which the command runs
	Place   task.Place      // likewise, where the gates ask for commands; zero if nobody knows
	Warning string          // what the file loosens, and why the record stays if it does; may be empty
}

// Into writes the record into a project.
func (r Recording) Into(p *task.Project, now task.Time) {
	p.Policy, p.PolicyFile, p.PolicyDir, p.PolicyAt = r.Policy, r.File, r.Dir, now
	if r.Repo.Dir != "" {
		p.Repo = r.Repo
	}
	if place := r.Place.String(); place != "" {
		p.PolicyPlace = place
	}
}

// moves returns how the record would move the place in which the lines of its gates run: what they find there decides as much
// as they do.
func (r Recording) moves(before *task.Project) (out []string) {
	if before.PolicyDir != "" && r.Dir != "" && r.Dir != before.PolicyDir {
		out = append(out, "the directory of the file: from "+before.PolicyDir+" to "+r.Dir)
	}
	if r.elsewhere(before) {
		out = append(out, "the repository: from "+placed(before.Repo, before.PolicyFile, r.Repo.Host)+" to "+placed(r.Repo, r.File, r.Repo.Host))
	}
	return out
}

// elsewhere reports whether the file is in another repository than the record's, which is no clone of it.
func (r Recording) elsewhere(before *task.Project) bool {
	if known := task.ParsePlace(before.PolicyPlace); known.Host != "" && r.Place.Host != "" {
		return known.Apart(r.Place)
	}
	return before.Repo.Apart(r.Repo)
}

// learns reports whether the record has no commit of its repository yet, and the same repository has one now.
func (r Recording) learns(before *task.Project) bool {
	return len(r.Place.Roots) > 0 && len(task.ParsePlace(before.PolicyPlace).Roots) == 0 && before.Repo.Same(r.Repo)
}

// placed names a repository, or outside one the directory of a file.
func placed(repo task.Repository, file, host string) string {
	if repo.Dir == "" {
		return filepath.Dir(file)
	}
	return repo.Place(host)
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
	if file == "" || len(was) == 0 && string(policy) == "{}" {
		return r, nil
	}
	commands, err := config.AsksForCommands(policy, "")
	if err != nil {
		return r, err
	}
	same := config.SamePolicy(was, policy)
	if known := before != nil && before.Repo.Same(r.Repo) && len(task.ParsePlace(before.PolicyPlace).Roots) > 0; commands && !(same && known) {
		r.Place = core.CallerOf(ctx).At(ctx)
	}
	if same && !(commands && (r.learns(before) || r.Place.Host != "" && r.elsewhere(before))) {
		return r, nil
	}
	r.Moved = same
	r.Delta.To = jsontext.Value(policy)
	if len(was) == 0 {
		r.Changed = true
		return r, nil
	}
	if r.Delta.From = jsontext.Value(was); r.Moved {
		r.Delta = task.Delta{From: placed(before.Repo, before.PolicyFile, r.Repo.Host), To: placed(r.Repo, file, r.Repo.Host)}
	}
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
	case same && !may && len(loose) > 0: // nobody asked for a change
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
