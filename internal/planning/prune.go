package planning

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
)

// prunePage is how many tasks that a plan leaves out are read at once.
const prunePage = 500

// prunable finds the tasks that an earlier plan made and this one leaves out, if they are open, not held, not bound to
// anything elsewhere, and the caller may cancel them. It warns about the others.
func (s *Service) prunable(tx *store.Tx, doc *plan.Document, prep *prepared) error {
	if prep.before == nil {
		return nil
	}
	keys, names, ids := doc.Mentions()
	named := make(map[string]bool, len(keys)+len(names)+len(ids))
	for _, name := range slices.Concat(keys, names) {
		named[name] = true
	}
	for _, id := range slices.AppendSeq(ids, maps.Values(prep.moved)) {
		named[string(id)] = true
	}
	planned := plans{tx: tx, project: doc.Project, of: map[int64]bool{}}
	var stay []task.ID
	for after := task.ID(""); ; {
		page, err := tx.RefsAfter(doc.Project, after, true, prunePage)
		if err != nil {
			return err
		}
		var left []task.ID
		for _, r := range page {
			if after = r.ID; !named[r.Key] && !named[string(r.ID)] {
				left = append(left, r.ID)
			}
		}
		tasks, err := tx.TasksByID(left)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			made, err := planned.made(t.ID)
			if err != nil {
				return err
			}
			if !made {
				continue
			}
			if _, err := cancelled(t, prep, tx.Now()); err != nil || unprunable(t, tx.Now()) {
				stay = append(stay, t.ID)
			} else {
				prep.prune = append(prep.prune, t)
			}
		}
		if len(page) < prunePage {
			break
		}
	}
	if len(stay) > 0 {
		prep.diff.Warnings = append(prep.diff.Warnings, fmt.Sprintf(
			"%s left out by the plan and not cancelled, being held, bound elsewhere or not yours to cancel: %s",
			words.Count(len(stay), "task is", "tasks are"), words.Some(stay, len(stay))))
	}
	return nil
}

// pinOf returns the pin of a set of tasks to be cancelled: only the same ids give the same pin. It is noneToPrune for an
// empty set.
func pinOf(pruned []Ref) task.Opt {
	if len(pruned) == 0 {
		return noneToPrune
	}
	ids := idsOf(pruned)
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return task.Opt(hex.EncodeToString(sum[:16]))
}

// checkPin refuses to cancel tasks other than the ones that were shown.
func checkPin(in ApplyIn, out ApplyOut) error {
	switch {
	case in.Pin == "" || in.Prune && in.Pin == string(out.Pin):
		return nil
	case !in.Prune:
		return fault.Bad("a pin is for pruning").WithMissing(fault.Parameter("pin")).WithHint("ask for prune too")
	}
	return fault.Decline("this would cancel %s, not the set that was shown under the pin", words.Count(len(out.Pruned), "task", "tasks")).
		WithMissing(idsOf(out.Pruned[:min(len(out.Pruned), maxPinned)])...).WithHint("do another dry run to see the current pin; nothing was written")
}

// noneToPrune is the pin of a plan that cancels nothing.
const noneToPrune = "none"

// maxPinned limits how many ids a refusal lists.
const maxPinned = 200

// idsOf returns the ids of tasks as strings.
func idsOf(list []Ref) (ids []string) {
	for _, r := range list {
		ids = append(ids, string(r.ID))
	}
	return ids
}

// unprunable reports whether a task stays although the plan leaves it out.
func unprunable(t *task.Task, now task.Time) bool { return t.Claim.Live(now) || t.BindingCount > 0 }

// cancelled returns a task as cancelled by the caller, or the reason why it cannot be.
func cancelled(t *task.Task, prep *prepared, now task.Time) (task.Moved, error) {
	return t.MoveBy(prep.actor, prep.policy, task.Move{To: task.Cancelled}, task.Standing{Notes: t.Notes}, now)
}

// plans knows which batches of events applied a plan.
type plans struct {
	tx      *store.Tx
	project string
	of      map[int64]bool
}

// made reports whether a plan made a task, according to the log.
func (p plans) made(id task.ID) (bool, error) {
	events, err := p.tx.Events(query.Events{Task: id, Kind: string(task.TaskCreated), Limit: 1})
	if err != nil || len(events) == 0 {
		return false, err
	}
	batch := events[0].Batch
	if by, known := p.of[batch]; known {
		return by, nil
	}
	applied, err := p.tx.Events(query.Events{Project: p.project, Kind: string(task.PlanApplied), SinceID: new(batch - 1), Limit: 1})
	p.of[batch] = len(applied) == 1 && applied[0].Batch == batch
	return p.of[batch], err
}

// prune cancels the tasks that were found. If one has changed in the meantime it returns a conflict, so that they are
// found again.
func prune(tx *store.Tx, prep *prepared) error {
	for _, found := range prep.prune {
		t, err := tx.Task(found.ID)
		if fault.Is(err, fault.NotFound) || err == nil && (t.Status.Closed() || unprunable(t, tx.Now())) {
			return changedMeanwhile(prep.diff.Project)
		}
		if err != nil {
			return err
		}
		m, err := cancelled(t, prep, tx.Now())
		if err != nil {
			return err
		}
		if err := tx.Save(task.Change{Before: t, After: m.After, Events: core.MoveEvents(t, m)}); err != nil {
			return err
		}
	}
	return nil
}
