package links

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/store/linkdb"
	"tasker/internal/task"
	"tasker/internal/task/merge"
)

// PlanOut lists what will be written to other systems.
type PlanOut struct {
	Project string    `json:"project"`
	Writes  []Planned `json:"writes"`
}

// Planned is one write, and why.
type Planned struct {
	ID     int64    `json:"id"`
	System string   `json:"system"`
	Ref    string   `json:"ref"`
	Task   task.ID  `json:"task"`
	Field  string   `json:"field"`
	From   any      `json:"from"`
	To     any      `json:"to"`
	Why    string   `json:"why"`
	State  string   `json:"state"`
	Error  task.Opt `json:"error"`
	DryRun bool     `json:"dryRun,omitzero"`
}

func plannedOf(w merge.Write) Planned {
	return Planned{
		ID: w.ID, System: w.System, Ref: w.Ref, Task: w.Task, Field: w.Field, From: merge.Shown(w.Field, w.From), To: merge.Shown(w.Field, w.To),
		Why: w.Why, State: string(w.State), Error: task.Opt(w.Error),
	}
}

// maxWrites is how many outbound writes an answer lists.
const maxWrites = 1000

// Plan lists what will be written to other systems, oldest first. It first merges what was changed
// here since the last merge, without contacting the other system.
func (s *Service) Plan(ctx context.Context, in core.ProjectIn) (PlanOut, error) {
	if err := s.Settle(ctx, in.Slug); err != nil {
		return PlanOut{}, err
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) (PlanOut, error) {
		p, err := core.ProjectOf(ctx, tx, in.Slug)
		if err != nil {
			return PlanOut{}, err
		}
		out := PlanOut{Project: p.Slug}
		writes, _, err := linkdb.Writes(tx, p.Slug, "", 0, maxWrites)
		for _, w := range writes {
			out.Writes = append(out.Writes, plannedOf(w))
		}
		return out, err
	})
}

// Settle merges every binding to the tracker with what was last seen there, so that changes made
// here are planned.
func (s *Service) Settle(ctx context.Context, project string) error {
	for after := int64(0); ; {
		out, err := s.Merge(ctx, MergeIn{Project: project, System: merge.IssueTracker, After: after})
		if err != nil || out.Next == 0 {
			return err
		}
		after = out.Next
	}
}

// DueIn asks for the writes that can be tried now. All includes the ones that wait for another try.
type DueIn struct {
	Project string
	After   int64
	All     bool
}

// Due is a write that can be tried, and the value that the other side must still have.
type Due struct {
	merge.Write
	Expect string
}

// DueWrites returns the first due writes after a given one, by id.
func (s *Service) DueWrites(ctx context.Context, in DueIn) ([]Due, error) {
	return core.Read(ctx, s.Env, func(tx *store.Tx) (out []Due, err error) {
		for after := in.After; ; {
			writes, _, err := linkdb.Writes(tx, in.Project, merge.Pending, after, portion)
			if err != nil {
				return nil, err
			}
			for _, w := range writes {
				if after = w.ID; !in.All && w.NextAt > tx.Now() {
					continue
				}
				basis, err := linkdb.Basis(tx, w.Binding)
				if err != nil {
					return nil, err
				}
				out = append(out, Due{w, basis.Pairs[w.Field].Theirs})
			}
			if len(writes) < portion || len(out) > 0 {
				return out, nil
			}
		}
	})
}

// TryIn names a write that is about to be sent.
type TryIn struct{ Write merge.Write }

// Try records that a write is about to be sent, before it is. If the process is killed or the
// answer is lost, the write may still have arrived; the next merge recognizes it and does not take
// it for a change made there.
func (s *Service) Try(ctx context.Context, in TryIn) (struct{}, error) {
	return s.tried(ctx, in.Write, func(tx *store.Tx, w merge.Write) error {
		basis, err := linkdb.Basis(tx, w.Binding)
		if err != nil {
			return err
		}
		basis, news := basis.Try(in.Write.Field, in.Write.To)
		if !news {
			return nil
		}
		return saveBasis(tx, w, basis)
	})
}

// tried runs fn in a turn with a write as it is stored, or returns NotFound.
func (s *Service) tried(ctx context.Context, of merge.Write, fn func(*store.Tx, merge.Write) error) (struct{}, error) {
	return write(ctx, s, of.Project, func(tx *store.Tx, _ *scene) (none struct{}, err error) {
		w, err := linkdb.Write(tx, of.ID)
		if err == nil {
			err = fn(tx, w)
		}
		return none, err
	})
}

// unlessGone is the outcome of a write; one that is no longer wanted has none, and the next merge
// sees its effect.
func unlessGone(none struct{}, err error) (struct{}, error) {
	if fault.Is(err, fault.NotFound) {
		return none, nil
	}
	return none, err
}

// saveBasis stores what both sides of a write's binding agree on.
func saveBasis(tx *store.Tx, w merge.Write, basis merge.Basis) error {
	b, err := bound(tx, w.Task, w.Binding)
	if err != nil || b == nil {
		return err
	}
	return linkdb.SaveBasis(tx, *b, basis)
}

// SentIn says that a write succeeded, and what the record there looks like now.
type SentIn struct {
	Write merge.Write
	Seen  merge.Issue
}

// Sent records that a write succeeded: both sides now agree on the field.
func (s *Service) Sent(ctx context.Context, in SentIn) (struct{}, error) {
	return unlessGone(s.tried(ctx, in.Write, func(tx *store.Tx, w merge.Write) error {
		basis, err := linkdb.Basis(tx, w.Binding)
		if err != nil {
			return err
		}
		theirs, there := in.Seen.Values[w.Field]
		if !there {
			theirs = in.Write.To // the answer leaves the field out
		}
		basis.Pairs[w.Field] = merge.Pair{Ours: in.Write.To, Theirs: theirs}
		delete(basis.Last, w.Field)
		delete(basis.Tried, w.Field)
		basis.Seen = max(basis.Seen, in.Seen.Updated) // a pull may still return a copy from before the write, which is not news
		p := writePayload(in.Write)
		p["outcome"] = "sent"
		if err := saveBasis(tx, w, basis); err != nil {
			return err
		}
		return linkdb.EndWrite(tx, w, task.Draft{Kind: task.SyncPushed, Payload: p})
	}))
}

// FailedIn says that a write failed, for good or for now. It is tried again after WaitMs at the
// earliest.
type FailedIn struct {
	Write   merge.Write
	ForGood bool
	WaitMs  int64
	Problem string
}

// Failed records that a write failed. Only the first of several tries has an event, and the one
// that ends them.
func (s *Service) Failed(ctx context.Context, in FailedIn) (struct{}, error) {
	return unlessGone(s.tried(ctx, in.Write, func(tx *store.Tx, w merge.Write) error {
		p := writePayload(w)
		p["error"] = in.Problem
		if in.ForGood {
			p["outcome"] = "failed"
			return linkdb.SaveWrite(tx, w.Refuse(in.Problem), task.Draft{Kind: task.SyncFailed, Payload: p})
		}
		var events []task.Draft
		if w.Attempts == 0 {
			p["outcome"] = "retrying"
			events = append(events, task.Draft{Kind: task.SyncFailed, Payload: p})
		}
		return linkdb.SaveWrite(tx, w.Retry(tx.Now(), in.WaitMs, in.Problem), events...)
	}))
}

// WriteIn names an outbound write.
type WriteIn struct {
	ID     int64
	DryRun bool
}

// Retry makes a failed write due again.
func (s *Service) Retry(ctx context.Context, in WriteIn) (Planned, error) {
	return s.onWrite(ctx, in, func(tx *store.Tx, w merge.Write) (merge.Write, error) {
		w.State, w.NextAt, w.Error, w.Attempts = merge.Pending, 0, "", 0
		p := writePayload(w)
		p["outcome"] = "retry"
		return w, linkdb.SaveWrite(tx, w, task.Draft{Kind: task.SyncPlanned, Payload: p})
	})
}

// Drop gives up a write: both sides agree to differ until either changes again.
func (s *Service) Drop(ctx context.Context, in WriteIn) (Planned, error) {
	return s.onWrite(ctx, in, func(tx *store.Tx, w merge.Write) (merge.Write, error) {
		basis, err := linkdb.Basis(tx, w.Binding)
		if err != nil {
			return w, err
		}
		basis.Pairs[w.Field] = merge.Pair{Ours: w.To, Theirs: basis.Theirs()[w.Field]}
		delete(basis.Last, w.Field)
		if err := saveBasis(tx, w, basis); err != nil {
			return w, err
		}
		p := writePayload(w)
		p["outcome"] = "dropped"
		return w, linkdb.EndWrite(tx, w, task.Draft{Kind: task.SyncFailed, Payload: p})
	})
}

func (s *Service) onWrite(ctx context.Context, in WriteIn, fn func(*store.Tx, merge.Write) (merge.Write, error)) (Planned, error) {
	return core.WriteUnless(ctx, s.Env, in.DryRun, func(tx *store.Tx) (Planned, error) {
		w, err := linkdb.Write(tx, in.ID)
		if err != nil {
			return Planned{}, err
		}
		p, err := tx.Project(w.Project)
		if err != nil {
			return Planned{}, err
		}
		if err := core.Writable(p); err != nil {
			return Planned{}, err
		}
		w, err = fn(tx, w)
		out := plannedOf(w)
		out.DryRun = in.DryRun
		return out, err
	})
}
