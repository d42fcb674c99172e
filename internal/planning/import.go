package planning

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/transfer/importer"
)

// ImportIn is what was read from another tool's export.
type ImportIn struct {
	Batch *importer.Batch
	// Hold puts the created tasks below one parent, where they wait until a human releases them.
	Hold   bool
	DryRun bool
}

// ImportOut is what an import changed, or would change: the answer of its plan, and what else it did.
type ImportOut struct {
	ApplyOut
	Source        string              `json:"source"`
	Read          int                 `json:"read"`  // items of the source
	Notes         int                 `json:"notes"` // added, or would be
	Unplaced      []importer.Unplaced `json:"unplaced"`
	UnplacedTotal int                 `json:"unplacedTotal"`

	Doc *plan.Document `json:"-"` // the plan
}

// importing is an import that was compared and accepted.
type importing struct {
	*prepared
	doc      *plan.Document
	attached []attached
}

// Import applies the plan of a batch and sets what a plan cannot express, ticks and notes, in the same transaction. A
// move that the rules decline is left out and reported: what a source says about an existing task does not override them.
func (s *Service) Import(ctx context.Context, in ImportIn) (ImportOut, error) {
	if in.Batch == nil || len(in.Batch.Items) == 0 {
		return ImportOut{}, fault.Bad("there is nothing to import").WithHint("name a file that holds at least one task")
	}
	out, err := compareAndWrite(ctx, s.Env,
		func(tx *store.Tx) (*importing, error) { return s.prepareImport(ctx, tx, in) },
		func(tx *store.Tx, imp *importing) (ImportOut, error) { return s.carryOutImport(tx, in, imp) },
		func(imp *importing) (ImportOut, bool) { return imp.answer(in, imp.out, imp.attached), imp.answered })
	if err == nil && !out.DryRun {
		s.HearOf(ctx, out.Project)
	}
	return out, in.Batch.Located(err)
}

// answer returns the answer of an import, given the answer of its plan.
func (imp *importing) answer(in ImportIn, out ApplyOut, added []attached) ImportOut {
	b := in.Batch
	answer := ImportOut{
		ApplyOut: out, Source: b.Kind, Read: len(b.Items), Unplaced: b.Unplaced, UnplacedTotal: b.UnplacedTotal, Doc: imp.doc,
	}
	for i := range added {
		answer.Notes += len(added[i].notes)
	}
	return answer
}

// prepareImport makes the plan for what is stored, compares it, and finds what has to be set in addition.
func (s *Service) prepareImport(ctx context.Context, tx *store.Tx, in ImportIn) (*importing, error) {
	there, err := existing(tx, in.Batch)
	if err != nil {
		return nil, err
	}
	imp := &importing{doc: in.Batch.Document()}
	heldBack := leaveHeld(ctx, imp.doc, there, tx.Now())
	if err := keepHolds(tx, in.Batch, imp.doc, there); err != nil {
		return nil, err
	}
	if in.Hold {
		if err := hold(tx, in.Batch, imp.doc, there); err != nil {
			return nil, err
		}
	}
	imp.prepared, err = s.prepare(ctx, tx, ApplyIn{Doc: imp.doc, DryRun: in.DryRun}, &prepared{lenient: true})
	if err != nil {
		return nil, err
	}
	imp.out.Warnings = append(imp.out.Warnings, heldBack...)
	for _, d := range imp.declined {
		imp.out.Warnings = append(imp.out.Warnings, d.words())
	}
	if imp.attached, err = attachments(tx, in.Batch, imp.prepared, there); err != nil {
		return nil, err
	}
	imp.answered = in.DryRun || imp.diff.Empty() && len(imp.attached) == 0 && len(imp.declined) == 0
	return imp, nil
}

func (d declined) words() string {
	missing := d.why.Missing[:min(len(d.why.Missing), 10)]
	return fmt.Sprintf("%s stays %s, whatever the source says: %s", d.task.ID, d.task.Status, d.why.Message) +
		words.When(len(missing) > 0, ": "+strings.Join(missing, "; "))
}

// existing returns the stored tasks whose keys are in a batch, with their dependencies.
func existing(tx *store.Tx, b *importer.Batch) (map[string]*task.Task, error) {
	there := map[string]*task.Task{}
	if _, err := stored(tx, b.Project); fault.Is(err, fault.NotFound) {
		return there, nil
	} else if err != nil {
		return nil, err
	}
	var keys []string
	for i := range b.Items {
		keys = append(keys, b.Items[i].Key)
	}
	tasks, err := wholeByKeys(tx, b.Project, keys)
	for _, t := range tasks {
		there[t.Key] = t
	}
	return there, err
}

// leaveHeld removes the status of tasks that another actor holds from a plan: an import does not end anybody's claim.
func leaveHeld(ctx context.Context, doc *plan.Document, there map[string]*task.Task, now task.Time) (warnings []string) {
	a := core.CallerOf(ctx).Actor
	for i := range doc.Tasks {
		d := &doc.Tasks[i]
		t := there[d.Key]
		if t == nil || !d.Status.Set || d.Status.Value == t.DocStatus || d.Status.Value == t.Status || !t.HeldByOther(a, now) {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("%s stays %s, whatever the source says: it is %s", t.ID, t.Status, t.Claim))
		d.Status = plan.Field[task.Status]{}
	}
	return warnings
}

// leaveOut removes the declined moves from a lenient plan.
func (p *prepared) leaveOut(moves map[int]task.Moved) {
	if len(p.declined) == 0 {
		return
	}
	var left []plan.Update
	for i := range p.diff.Update {
		u := p.diff.Update[i]
		if _, moves := moves[i]; u.MoveTo == "" || moves {
			left = append(left, u)
			continue
		}
		after := *u.After
		after.DocStatus = u.Before.DocStatus // so that the next import tries again
		u.MoveTo, u.After = "", &after
		if len(u.Changes)+len(u.Evidence) > 0 {
			left = append(left, u)
			continue
		}
		ref := plan.Ref{Key: u.Before.Key, ID: u.Before.ID}
		p.diff.Unchanged = append(p.diff.Unchanged, ref)
		p.diff.Held = slices.DeleteFunc(p.diff.Held, func(r plan.Ref) bool { return r == ref })
	}
	p.diff.Update = left
}

// carryOutImport writes a prepared import in a turn.
func (s *Service) carryOutImport(tx *store.Tx, in ImportIn, imp *importing) (ImportOut, error) {
	out, err := s.carryOut(tx, imp.prepared)
	if err != nil {
		return ImportOut{}, err
	}
	if err := saveDeclined(tx, in.Batch.Kind, imp.declined); err != nil {
		return ImportOut{}, err
	}
	added, err := setAttached(tx, imp, out)
	return imp.answer(in, out, added), err
}

// saveDeclined leaves a note for people, once, on each task that is closed in the source but that the rules keep open.
func saveDeclined(tx *store.Tx, kind string, all []declined) error {
	for _, d := range all {
		if !d.to.Closed() {
			continue
		}
		why := cmp.Or(strings.Join(d.why.Missing, "; "), d.why.Message)
		had, err := linkdb.Unclosed(tx, d.task.ID)
		if err == nil && had != why {
			err = linkdb.SaveUnclosed(tx, d.task.ID, why, task.Draft{Kind: task.SyncPulled, Payload: task.Payload{
				"system": kind, "ref": d.task.Key, "fields": task.Payload{}, "declined": why,
			}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Keys of the tasks that hold an import back: the parent of the imported tasks, and the task below it that they all wait
// for until a human closes it. Once it is closed, a later import creates another.
func holdKeys(kind string, n int) (parent, release string) {
	parent = "import:" + kind
	return parent, parent + ":release" + words.When(n > 1, fmt.Sprintf("-%d", n))
}

// hold puts the tasks that a plan creates below one parent, and makes the open ones wait until a human releases them.
func hold(tx *store.Tx, b *importer.Batch, doc *plan.Document, there map[string]*task.Task) error {
	if !slices.ContainsFunc(doc.Tasks, func(d plan.TaskDef) bool { return there[d.Key] == nil }) {
		return nil
	}
	parent, release, made, err := holder(tx, b)
	if err != nil {
		return err
	}
	for i := range doc.Tasks {
		d := &doc.Tasks[i]
		if there[d.Key] != nil {
			continue
		}
		if !d.Parent.Set {
			d.Parent = plan.Give(task.Opt(parent))
		}
		if !d.Status.Value.Closed() {
			d.Deps = plan.Give(append(slices.Clone(d.Deps.Value), release))
		}
	}
	doc.Tasks = append(doc.Tasks, made...)
	return nil
}

// holder returns the keys of the tasks that hold an import back, and the definitions of the ones that do not exist yet.
func holder(tx *store.Tx, b *importer.Batch) (parent, release string, made []plan.TaskDef, err error) {
	find := func(key string) (t *task.Task, err error) {
		if _, err = stored(tx, b.Project); err == nil {
			t, err = tx.TaskByKey(b.Project, key)
		}
		if fault.Is(err, fault.NotFound) {
			return nil, nil
		}
		return t, err
	}
	parent, _ = holdKeys(b.Kind, 1)
	t, err := find(parent)
	if err != nil {
		return "", "", nil, err
	}
	if t == nil {
		made = append(made, plan.TaskDef{Key: parent, Fields: plan.Fields{Title: plan.Give("Imported from " + b.Kind)}})
	}
	for n := 1; ; n++ {
		_, release = holdKeys(b.Kind, n)
		t, err := find(release)
		switch {
		case err != nil:
			return "", "", nil, err
		case t == nil:
			return parent, release, append(made, plan.TaskDef{Key: release, Fields: plan.Fields{
				Title: plan.Give("Read what was imported from " + b.Kind + ", and release it"),
				Body: plan.Give(task.Opt("Everything that was imported waits for this task. A human who has read it closes this task, " +
					"or cancels what is not to be done first.")),
				Parent: plan.Give(task.Opt(parent)), Autonomy: plan.Give(task.Opt(task.HumanOnly)),
			}}), nil
		case !t.Status.Closed():
			return parent, release, made, nil
		}
	}
}

// keepHolds keeps the dependencies of existing tasks on what holds them back: a plan replaces dependencies, and the
// source does not know about these.
func keepHolds(tx *store.Tx, b *importer.Batch, doc *plan.Document, there map[string]*task.Task) error {
	_, prefix := holdKeys(b.Kind, 1)
	var ids []task.ID
	for i := range doc.Tasks {
		if t := there[doc.Tasks[i].Key]; t != nil && doc.Tasks[i].Deps.Set {
			ids = append(ids, t.Deps...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	slices.SortFunc(ids, task.CompareIDs)
	refs, err := tx.Refs(b.Project, nil, slices.Compact(ids))
	if err != nil {
		return err
	}
	holds := map[task.ID]string{}
	for _, r := range refs {
		if strings.HasPrefix(r.Key, prefix) {
			holds[r.ID] = r.Key
		}
	}
	for i := range doc.Tasks {
		d := &doc.Tasks[i]
		if t := there[d.Key]; t != nil && d.Deps.Set {
			for _, id := range t.Deps {
				if key := holds[id]; key != "" && !slices.Contains(d.Deps.Value, key) {
					d.Deps = plan.Give(append(slices.Clone(d.Deps.Value), key))
				}
			}
		}
	}
	return nil
}
