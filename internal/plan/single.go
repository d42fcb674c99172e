package plan

import (
	"cmp"
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
)

// Scene is the context in which the creation or edit of a single task is decided.
type Scene struct {
	Project string
	Actor   task.Actor
	Policy  task.Policy
	Now     task.Time
	// Find returns the id of the task of the project with this key, else with this id; or no id and a NotFound error.
	Find func(ref string) (task.ID, error)
	// Tasks returns the tasks with these ids.
	Tasks func(ids []task.ID) ([]*task.Task, error)
}

// New makes the task that the definition describes, in the scene's project; its evidence, each item once, is in
// Evidence. Task.ID is empty, and so is Key if none was given. The caller makes sure that the key is free.
func (d *TaskDef) New(s Scene) (*Create, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if err := proven.CheckRun(task.ID(cmp.Or(d.Key, "ID")), d.Evidence.Value); err != nil {
		return nil, err
	}
	f := finder{scene: s, key: d.Key}
	t := d.create(s.Project, s.Actor, s.Now)
	t.Parent = f.one("parent", d.Parent.Value)
	t.Deps = f.all("deps", d.Deps.Value)
	return &Create{Task: t, Evidence: newEvidence(nil, d.Evidence.Value)}, f.end("the task")
}

// Apply returns the task after the edit, with the changes by JSON name; after is before if nothing changed. Body and
// Deps of before must be filled. If there are changes, Version, UpdatedAt and ApprovalEpoch of after have changed too.
// The caller checks ExpectedVersion and Fence, and cycles (Rewire).
func (e *Edit) Apply(before *task.Task, s Scene) (after *task.Task, changes map[string]task.Delta, err error) {
	if err := e.Check(); err != nil {
		return nil, nil, err
	}
	f := finder{scene: s, id: before.ID, key: before.Key}
	c := changer{before: before}
	fields := e.Fields
	fields.Criteria = e.criteria(before, &f)
	c.fields(&fields)
	if e.Parent.Set {
		if p := f.one("parent", e.Parent.Value); p != before.Parent {
			c.own().Parent = p
			c.changes["parent"] = task.Delta{From: before.Parent, To: p}
		}
	}
	if deps := e.deps(before, &f); !sameSet(deps, before.Deps) {
		c.own().Deps = deps
		c.changes["deps"] = task.Delta{From: before.Deps, To: deps}
	}
	if err := f.end("the edit"); err != nil {
		return nil, nil, err
	}
	c.seal(s.Now)
	less := task.Loosened(before, c.result(), s.Actor, s.Policy)
	edges, err := looseEdges(before, c.result(), s.Actor, s.Policy, s.Tasks)
	if err != nil {
		return nil, nil, err
	}
	if less = append(less, edges...); len(less) > 0 {
		e := fault.Decline("the edit loosens what only a human may loosen here").WithMissing(less...)
		if len(less) == 1 {
			e.Message += ": " + less[0]
		}
		return nil, nil, e.WithHint("%s", s.Policy.Have("make it, or keep what is named"))
	}
	return c.result(), c.changes, nil
}

// looseEdges returns which dependencies and parts an edit takes away although the actor may not; it reads only those.
func looseEdges(before, after *task.Task, a task.Actor, p task.Policy, tasks func([]task.ID) ([]*task.Task, error)) ([]string, error) {
	cut := task.CutEdges(before, after, a, p)
	if len(cut) == 0 || tasks == nil {
		return nil, nil
	}
	around, err := tasks(cut)
	return task.LoosenedEdges(before, after, around, a, p), err
}

// Warnings returns what is allowed but probably a mistake in a single task that was created or edited.
func (s Scene) Warnings(t *task.Task) []string {
	var out []string
	if task.ReadsLikeID(t.Project, t.Key, t.ID) {
		out = append(out, likeID("key "+words.Quoted(t.Key), t.Project))
	}
	if t.Gate != "" && !s.Policy.DefinesGate(string(t.Gate)) {
		out = append(out, undefinedGate(t.Gate, string(t.ID)))
	}
	return out
}

// likeID returns the warning for a key that may name two tasks.
func likeID(key, project string) string {
	return key + " reads like the id of a task of " + project + ": documents take it for the key first, commands for the id"
}

// criteria returns the texts after the edit; the field is not set if the edit does not mention criteria.
func (e *Edit) criteria(before *task.Task, f *finder) Field[[]string] {
	if !e.Criteria.Set && len(e.AddCriteria) == 0 && len(e.RemoveCriteria) == 0 {
		return Field[[]string]{}
	}
	texts := slices.Clone(e.Criteria.Value)
	if !e.Criteria.Set {
		texts = criterionTexts(before.Criteria)
	}
	for _, add := range e.AddCriteria {
		if !slices.Contains(texts, add) {
			texts = append(texts, add)
		}
	}
	for i, text := range e.RemoveCriteria {
		k := slices.Index(texts, text)
		if k < 0 {
			f.Enter("removeCriteria")
			f.EnterAt(i)
			f.Note("no criterion reads %s%s", words.Quoted(text), f.meant(text, texts))
			f.Leave()
			f.Leave()
			continue
		}
		texts = slices.Delete(texts, k, k+1)
	}
	if len(texts) > task.MaxListed {
		f.noteAt("addCriteria", "would make %d criteria, and %d is the most", len(texts), task.MaxListed)
	}
	if bytes := len(strings.Join(texts, "")); len(e.AddCriteria) > 0 && bytes > task.MaxList {
		f.noteAt("addCriteria", "would make criteria of %d KiB in all, and %d is the most", (bytes+1023)>>10, task.MaxList>>10)
	}
	return Give(texts)
}

// deps returns the ids after the edit. Removing a dependency that the task does not have changes nothing.
func (e *Edit) deps(before *task.Task, f *finder) []task.ID {
	ids := slices.Clone(before.Deps)
	if e.Deps.Set {
		ids = f.all("deps", e.Deps.Value)
	}
	for _, id := range f.all("addDeps", e.AddDeps) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	drop := f.all("removeDeps", e.RemoveDeps)
	ids = slices.DeleteFunc(ids, func(id task.ID) bool { return slices.Contains(drop, id) })
	slices.SortFunc(ids, task.CompareIDs)
	if len(ids) > task.MaxTasks {
		f.noteAt("addDeps", "would make %d deps, and %d is the most", len(ids), task.MaxTasks)
	}
	return ids
}

// finder resolves references of a single task and notes unknown ones and references to the task itself.
type finder struct {
	strict.Notes
	scene Scene
	id    task.ID // of the task itself; empty if it has none yet
	key   string
	err   error // from Find, other than not found
}

// noteAt adds a fault of a field.
func (f *finder) noteAt(name, format string, args ...any) {
	f.Enter(name)
	f.Note(format, args...)
	f.Leave()
}

func (f *finder) one(name string, ref task.Opt) task.Opt {
	if ref == "" {
		return ""
	}
	f.Enter(name)
	defer f.Leave()
	return task.Opt(f.find(string(ref)))
}

// all resolves a list: each once, in the order of their numbers.
func (f *finder) all(name string, refs []string) []task.ID {
	f.Enter(name)
	defer f.Leave()
	var ids []task.ID
	for i, ref := range refs {
		f.EnterAt(i)
		if id := f.find(ref); id != "" {
			ids = append(ids, id)
		}
		f.Leave()
	}
	slices.SortFunc(ids, task.CompareIDs)
	return slices.Compact(ids)
}

func (f *finder) find(ref string) task.ID {
	if f.err != nil {
		return ""
	}
	id, err := f.scene.Find(ref)
	switch {
	case err == nil && id == f.id, fault.Is(err, fault.NotFound) && f.id == "" && f.key == ref:
		f.Note("%s is the task itself", words.Quoted(ref))
		return ""
	case fault.Is(err, fault.NotFound):
		f.Note("%s is neither a key nor an id of %s", words.Quoted(ref), f.scene.Project)
	case err != nil:
		f.err = err
	}
	return id
}

func (f *finder) meant(text string, texts []string) string {
	if near := words.Nearest(text, texts); near != "" {
		return "; did you mean " + words.Quoted(near) + "?"
	}
	return ""
}

// end returns Find's own error, or all faults as one error.
func (f *finder) end(what string) error {
	if f.err != nil {
		return f.err
	}
	return f.Refuse(what)
}
