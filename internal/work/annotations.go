package work

import (
	"context"
	"fmt"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// NoteIn adds a note.
type NoteIn struct {
	Task  string `path:"id" json:"-"`
	Text  string `json:"text" about:"the note"`
	Fence *int64 `json:"fence,omitzero"`
}

// NoteOut is the answer to a new note.
type NoteOut struct {
	OK       bool     `json:"ok"`
	ID       int64    `json:"id"`
	Warnings []string `json:"warnings"`
}

// EvidenceIn adds evidence.
type EvidenceIn struct {
	Task  string              `path:"id" json:"-"`
	Items []task.EvidenceItem `json:"items" about:"at least one"`
	Check []int               `json:"check,omitzero" about:"criteria that the first item shows, by index from 1: they are ticked by it"`
	Fence *int64              `json:"fence,omitzero"`
}

// EvidenceOut is the answer to new evidence.
type EvidenceOut struct {
	OK       bool     `json:"ok"`
	IDs      []int64  `json:"ids"`
	Checked  []int    `json:"checked"` // criteria that it ticked
	Warnings []string `json:"warnings"`
}

// Note adds a note to a task. Anyone may. It extends the holder's lease.
func (s *Service) Note(ctx context.Context, in NoteIn) (NoteOut, error) {
	if err := fault.At("text", task.CheckText("the note", in.Text, task.MaxText)); err != nil {
		return NoteOut{}, err
	}
	kept, err := core.Write(ctx, s.Env, func(tx *store.Tx) (added, error) {
		t, err := s.openForRemarks(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return added{}, err
		}
		n, err := tx.AddNote(t, in.Text)
		if err != nil {
			return added{}, err
		}
		return addedTo(ctx, tx, t, in.Fence, n.ID)
	})
	if err != nil {
		return NoteOut{}, err
	}
	return NoteOut{OK: true, ID: kept.IDs[0], Warnings: s.warnHolder(ctx, kept.Changed)}, nil
}

// Evidence records evidence on a task, all items or none. Anyone may. It extends the holder's lease. Criteria that it
// is said to prove are ticked in the same step, if the caller may tick them; a run that covers no criterion is recorded
// with a warning.
func (s *Service) Evidence(ctx context.Context, in EvidenceIn) (EvidenceOut, error) {
	if len(in.Items) == 0 {
		return EvidenceOut{}, fault.Bad("there are no items of evidence").WithMissing("items").
			WithHint(`give at least one: {"items": [{"kind": "test", "value": "all 42 pass"}]}`)
	}
	if err := checkEvidence("items", in.Items); err != nil {
		return EvidenceOut{}, err
	}
	kept, err := core.Write(ctx, s.Env, func(tx *store.Tx) (added, error) {
		t, err := s.openForRemarks(ctx, tx, in.Task, in.Fence)
		if err != nil {
			return added{}, err
		}
		if err := proven.CheckRun(t.ID, in.Items); err != nil {
			return added{}, err
		}
		a, err := s.recorder(ctx, tx, t, in.Fence)
		if err != nil {
			return added{}, err
		}
		in.Items = t.For(a, in.Items)
		if len(in.Check) > 0 {
			return s.showing(ctx, tx, t, in)
		}
		_, ids, err := addEvidence(tx, t, in.Items)
		if err != nil {
			return added{}, err
		}
		out, err := addedTo(ctx, tx, t, in.Fence, ids...)
		out.Unrun = unrun(t.Criteria)
		return out, err
	})
	if err != nil {
		return EvidenceOut{}, err
	}
	warnings := slices.Concat(kept.Doubts, kept.Unrun, s.warnHolder(ctx, kept.Changed))
	return EvidenceOut{OK: true, IDs: kept.IDs, Checked: kept.Checked, Warnings: warnings}, nil
}

// added is what a turn returns about records that it added: their ids, and the task if its holder must be warned of
// changes.
type added struct {
	IDs     []int64  `json:"ids"`
	Changed task.ID  `json:"changed"`
	Checked []int    `json:"checked"`
	Doubts  []string `json:"doubts"`
	Unrun   []string `json:"unrun"` // the warning about ticks that rest on nothing that was run
}

// addedTo ends a turn that added to a task: if the caller holds the task, its lease is extended.
func addedTo(ctx context.Context, tx *store.Tx, t *task.Task, fence *int64, ids ...int64) (added, error) {
	out := added{IDs: ids}
	a, err := core.ActingFor(ctx, tx, t, core.CallerOf(ctx).Actor, fence)
	if err != nil {
		return out, err
	}
	if claim, ok := t.Extended(a, tx.Now()); ok {
		if err := tx.Extend(t, claim); err != nil {
			return out, err
		}
		if t.ChangedSince() {
			out.Changed = t.ID
		}
	}
	return out, nil
}

// openForRemarks loads a task for a write that anyone may make, if the fence allows it.
func (s *Service) openForRemarks(ctx context.Context, tx *store.Tx, name string, fence *int64) (*task.Task, error) {
	t, _, err := s.FindToWrite(ctx, tx, name)
	if err != nil {
		return nil, err
	}
	return t, t.CheckFence(fence)
}

// recorder returns the caller as it acts on a task: under which claim a run is recorded is kept with it.
func (s *Service) recorder(ctx context.Context, tx *store.Tx, t *task.Task, fence *int64) (task.Actor, error) {
	p, err := tx.Project(t.Project)
	if err != nil {
		return task.Actor{}, err
	}
	a, _, err := s.Writer(ctx, tx, p, t, fence)
	return a, err
}

func addEvidence(tx *store.Tx, t *task.Task, items []task.EvidenceItem) (kept []task.Evidence, ids []int64, err error) {
	kept, err = tx.AddEvidence(t, items)
	for _, e := range kept {
		ids = append(ids, e.ID)
	}
	return kept, ids, err
}

// checkEvidence refuses items that no record may have; path is the name of the list in the request.
func checkEvidence(path string, items []task.EvidenceItem) error {
	if err := fault.At(path, task.CheckCount("items of evidence", len(items), task.MaxListed)); err != nil {
		return err
	}
	var bad error // its message is the first fault, and its missing lists all of them
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		for _, err := range []error{
			task.CheckKind(at+".kind", item.Kind),
			task.CheckText(at+".value", item.Value, task.MaxText),
			task.CheckOptional(at+".note", string(item.Note), task.MaxText),
			checkOutput(at+".output", item),
		} {
			if e := fault.Of(err); err != nil && bad == nil {
				bad = fault.New(e.Kind, "%s", e.Message).WithParts(e.HintParts()).WithMissing(e.Message)
			} else if err != nil {
				fault.Of(bad).WithMissing(e.Message)
			}
		}
	}
	return bad
}

// checkOutput refuses output of anything but a run, and more of it than is kept.
func checkOutput(path string, item task.EvidenceItem) error {
	if item.Output == "" {
		return nil
	}
	if _, ok := proven.Parse(item.Value); !ok {
		return fault.Bad("%s is for a run, and the value is not one", path).WithHint("leave it out")
	}
	return task.CheckOptional(path, string(item.Output), task.MaxOutput)
}

// checkNote refuses a note that no record may have.
func checkNote(note *string) error {
	if note == nil {
		return nil
	}
	return fault.At("note", task.CheckText("the note", *note, task.MaxText))
}

// warnHolder returns warnings for the holder of a task, after its write, that others have changed the record since the
// claim. It reads nothing if id is empty.
func (s *Service) warnHolder(ctx context.Context, id task.ID) []string {
	if id == "" {
		return nil
	}
	return core.Completed(ctx, s.Env, nil, func(tx *store.Tx) ([]string, error) {
		return changedSince(ctx, tx, id)
	})
}

// changedSince returns warnings that others have changed a task since the caller claimed it.
func changedSince(ctx context.Context, tx *store.Tx, id task.ID) ([]string, error) {
	events, _, err := tx.History(id, bundle.RecentWindow, core.PageBytes)
	return bundle.ChangedSince(id, core.CallerOf(ctx).Actor.Full(), events), err
}
