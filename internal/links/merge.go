package links

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// MergeIn is a portion of what was read from another system. If Seen is empty, nothing new was
// read, and everything after After is merged with what was last seen.
type MergeIn struct {
	Project string
	System  string
	Seen    []merge.Issue
	After   int64
	DryRun  bool
}

// MergeOut is the result.
type MergeOut struct {
	Updated   []Updated
	Conflicts int // found by this merge
	Planned   int // planned by this merge
	Unchanged int
	Warnings  []string
	Next      int64 // where the next portion starts; 0: there is none
}

// Updated is a task that took values from another system.
type Updated struct {
	Task   task.ID  `json:"task"`
	Fields []string `json:"fields"`
}

// portion is how many bindings are merged at once.
const portion = 100

// Merge merges what another system says into the tasks bound to it, each in a turn of its own. A
// task without changes takes no turn. It skips records that no task is bound to, and leaves tasks
// alone whose record is absent.
func (s *Service) Merge(ctx context.Context, in MergeIn) (MergeOut, error) {
	var out MergeOut
	type one struct {
		b       task.Binding
		seen    *merge.Issue
		differs bool
	}
	list, err := core.Read(ctx, s.Env, func(tx *store.Tx) (list []one, err error) {
		sc, err := s.writing(ctx, tx, in.Project)
		if err != nil {
			return nil, err
		}
		if len(in.Seen) == 0 {
			page, err := linkdb.BindingsIn(tx, sc.p.Slug, in.System, in.After, portion)
			if err != nil {
				return nil, err
			}
			if out.Next = 0; len(page) == portion {
				out.Next = page[portion-1].ID
			}
			for _, b := range page {
				list = append(list, one{b: b})
			}
		}
		for i := range in.Seen {
			bound, err := linkdb.BindingsTo(tx, sc.p.Slug, in.System, in.Seen[i].Ref)
			if err != nil {
				return nil, err
			}
			for _, b := range bound {
				list = append(list, one{b: b, seen: &in.Seen[i]})
			}
		}
		for i, l := range list {
			st, err := sc.compare(l.b, l.seen)
			if err != nil {
				return nil, err
			}
			if list[i].differs = st.differs; in.DryRun && st.differs {
				out.add(st)
			}
		}
		return list, nil
	})
	if err != nil {
		return MergeOut{}, err
	}
	for _, l := range list {
		if l.seen != nil {
			for _, w := range l.seen.Warnings {
				out.Warnings = append(out.Warnings, l.seen.Ref+": "+w)
			}
		}
		if !l.differs {
			out.Unchanged++
			continue
		}
		if in.DryRun {
			continue
		}
		st, err := s.mergeOne(ctx, in.Project, l.b, l.seen)
		if fault.Is(err, fault.NotFound) { // unbound or deleted in the meantime
			continue
		}
		if err != nil {
			return out, err
		}
		out.add(st)
	}
	return out, nil
}

func (out *MergeOut) add(st *step) {
	if len(st.r.Taken) > 0 {
		out.Updated = append(out.Updated, Updated{st.t.ID, slices.Clone(st.r.Taken)})
	}
	for _, d := range st.r.Found {
		if d.ID == 0 || d.Since == 0 {
			out.Conflicts++
		}
	}
	out.Planned += len(st.r.Planned)
	if st.why != "" {
		out.Warnings = append(out.Warnings, string(st.t.ID)+" is closed at the tracker and stays open here: "+st.why)
	}
}

// step is the merge of one binding.
type step struct {
	b       task.Binding
	t       *task.Task
	basis   merge.Basis
	after   merge.Basis
	r       *merge.Result
	differs bool
	why     string // why the rules for done refuse a status
}

// compare returns what a merge would change. Without seen it compares with what was last seen.
func (sc *scene) compare(b task.Binding, seen *merge.Issue) (st *step, err error) {
	st = &step{b: b}
	if st.t, err = sc.tx.Task(b.Task); err != nil {
		return nil, err
	}
	if err := sc.tx.Fill(st.t); err != nil {
		return nil, err
	}
	if st.basis, err = linkdb.Basis(sc.tx, b.ID); err != nil {
		return nil, err
	}
	theirs, stamp := st.basis.Theirs(), st.basis.Seen
	if seen != nil && seen.Updated >= stamp { // an older copy is not news
		maps.Copy(theirs, merge.Fitting(seen.Values))
		stamp = seen.Updated
		if state := task.Opt(seen.State()); state != b.State {
			st.b.State, st.differs = state, true
		}
	}
	known := merge.Known{Agreed: st.basis.Pairs, Tried: st.basis.Tried}
	if known.Conflicts, err = linkdb.Unresolved(sc.tx, b.ID); err != nil {
		return nil, err
	}
	if known.Writes, err = linkdb.WritesOf(sc.tx, b.ID); err != nil {
		return nil, err
	}
	st.r = merge.Merge(sc.owners.Owner, merge.Of(st.t), theirs, known)
	var moved bool
	st.after, moved = st.basis.After(st.r, stamp)
	st.differs = st.differs || moved || !st.r.Empty()
	return st, nil
}

func (s *Service) mergeOne(ctx context.Context, project string, b task.Binding, seen *merge.Issue) (*step, error) {
	return write(ctx, s, project, func(tx *store.Tx, sc *scene) (*step, error) {
		now, err := bound(tx, b.Task, b.ID)
		if err != nil {
			return nil, err
		}
		if now == nil {
			return nil, fault.Missing("%s is not bound to %s any more", b.Task, b.Ref)
		}
		st, err := sc.compare(*now, seen)
		if err != nil || !st.differs {
			return st, err
		}
		return st, s.carryOut(tx, sc, st)
	})
}

// bound returns the binding of a task with an id, or nil if it was removed.
func bound(tx *store.Tx, of task.ID, id int64) (*task.Binding, error) {
	all, err := tx.Bindings(of)
	if i := slices.IndexFunc(all, func(b task.Binding) bool { return b.ID == id }); i >= 0 {
		return &all[i], err
	}
	return nil, err
}

// carryOut writes what a merge changes: the task, what is agreed, where the two disagree, and the
// planned writes.
func (s *Service) carryOut(tx *store.Tx, sc *scene, st *step) error {
	taken, err := s.take(tx, sc, st)
	if err != nil {
		return err
	}
	st.after, _ = st.basis.After(st.r, st.after.Seen)
	var events []task.Draft
	if len(taken) > 0 || len(st.r.Logged) > 0 {
		p := task.Payload{"system": st.b.System, "ref": st.b.Ref, "fields": taken}
		if len(st.r.Logged) > 0 {
			first := task.Payload{}
			for field, v := range st.r.Logged {
				first[field] = task.Payload{"ours": merge.Shown(field, v.Ours), "theirs": merge.Shown(field, v.Theirs)}
			}
			p["first"] = first
		}
		events = append(events, task.Draft{Kind: task.SyncPulled, Payload: p})
	}
	if err := linkdb.SaveBasis(tx, st.b, st.after, events...); err != nil {
		return err
	}
	return sc.saveOutcome(tx, st)
}

// saveOutcome stores the disagreements and writes of a merge.
func (sc *scene) saveOutcome(tx *store.Tx, st *step) error {
	for _, d := range st.r.Found { // in the result, one that was found now has no Since
		d.Project, d.Task, d.Binding, d.Since = sc.p.Slug, st.t.ID, st.b.ID, cmp.Or(d.Since, tx.Now())
		if err := linkdb.SaveConflict(tx, d, task.Draft{Kind: task.ConflictFound, Payload: conflictPayload(d, st.b)}); err != nil {
			return err
		}
	}
	for _, d := range st.r.Settled {
		d.State = merge.Settled
		p := conflictPayload(d, st.b)
		p["resolution"] = string(merge.Settled)
		if err := linkdb.SaveConflict(tx, d, task.Draft{Kind: task.ConflictResolved, Payload: p}); err != nil {
			return err
		}
	}
	for _, w := range st.r.Cancelled {
		if err := linkdb.EndWrite(tx, w); err != nil {
			return err
		}
	}
	for _, w := range st.r.Planned {
		if err := planWrite(tx, st.b, w); err != nil {
			return err
		}
	}
	return nil
}

// planWrite stores a planned write.
func planWrite(tx *store.Tx, b task.Binding, w merge.Write) error {
	w.Task, w.Binding, w.System, w.Ref, w.State = b.Task, b.ID, b.System, b.Ref, merge.Pending
	return linkdb.SaveWrite(tx, w, task.Draft{Kind: task.SyncPlanned, Payload: writePayload(w)})
}

func writePayload(w merge.Write) task.Payload {
	p := task.Payload{
		"system": w.System, "ref": w.Ref, "field": w.Field, "why": w.Why,
		"from": merge.Shown(w.Field, w.From), "to": merge.Shown(w.Field, w.To),
	}
	if w.ID != 0 {
		p["write"] = w.ID
	}
	return p
}

func conflictPayload(d merge.Disagreement, b task.Binding) task.Payload {
	p := task.Payload{
		"system": b.System, "ref": b.Ref, "field": d.Field,
		"ours": merge.Shown(d.Field, d.Ours), "theirs": merge.Shown(d.Field, d.Theirs),
	}
	if d.ID != 0 {
		p["conflict"] = d.ID
	}
	return p
}

// take gives the task the values that a merge takes. It leaves a status that the rules refuse, and
// records why for people.
func (s *Service) take(tx *store.Tx, sc *scene, st *step) (map[string]task.Delta, error) {
	values := make(merge.Values, len(st.r.Taken))
	for _, field := range st.r.Taken {
		values[field] = st.r.Theirs[field]
	}
	changes, err := s.put(tx, sc, st.t, values)
	if fault.Is(err, fault.Declined) {
		e := fault.Of(err)
		st.why = cmp.Or(strings.Join(e.Missing, "; "), e.Message)
		st.r.WithoutStatus()
		delete(values, "status")
		changes, err = s.put(tx, sc, st.t, values)
	}
	if err != nil {
		return nil, err
	}
	return changes, s.unclosed(tx, st)
}

// unclosed stores why a task stays open that the other system has closed, or that nothing keeps it
// open any more.
func (s *Service) unclosed(tx *store.Tx, st *step) error {
	had, err := linkdb.Unclosed(tx, st.t.ID)
	if err != nil || had == st.why {
		return err
	}
	return linkdb.SaveUnclosed(tx, st.t.ID, st.why, task.Draft{Kind: task.SyncPulled, Payload: task.Payload{
		"system": st.b.System, "ref": st.b.Ref, "fields": task.Payload{}, "declined": st.why,
	}})
}

// put sets values of a task as one change of the record, and returns what changed. A status is a
// move under the rules.
func (s *Service) put(tx *store.Tx, sc *scene, before *task.Task, values merge.Values) (map[string]task.Delta, error) {
	after, changes := *before, map[string]task.Delta{}
	edits := task.Payload{}
	for _, field := range merge.Travelling {
		value, ok := values[field]
		if !ok {
			continue
		}
		if err := merge.Check(field, value); err != nil {
			return nil, err
		}
		if d, differs := merge.Put(&after, field, value); differs {
			changes[field], edits[field] = d, d
		}
	}
	var events []task.Draft
	if len(edits) > 0 {
		events = append(events, task.Draft{Kind: task.TaskUpdated, Payload: edits})
		after.Version, after.UpdatedAt = before.Version+1, tx.Now()
		if task.StalesApprovals(before, &after) {
			after.ApprovalEpoch = before.ApprovalEpoch + 1
		}
	}
	if to, ok := values["status"]; ok && to != string(before.Status) {
		moved, err := policy.Move(tx, sc.actor, sc.policy, policy.Asked{ // with the caller's rights
			Task: &after, Move: task.Move{To: task.Status(to), Elsewhere: true}, Stale: after.ApprovalEpoch != before.ApprovalEpoch,
		})
		if err != nil {
			return nil, err
		}
		events = append(events, core.MoveEvents(before, moved)...)
		changes["status"] = task.Delta{From: before.Status, To: to}
		after = *moved.After
		after.Version = before.Version + 1
	}
	if len(events) == 0 {
		return changes, nil
	}
	return changes, tx.Save(task.Change{Before: before, After: &after, Whole: true, Events: events})
}
