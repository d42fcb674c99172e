package admin

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/store"
	"tasker/internal/store/notifydb"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// EventsPruneIn says up to when the log is pruned, and where the archive goes.
type EventsPruneIn struct {
	Before string // a time: every event before it is removed
	DryRun bool   // only count
	Name   string // of the archive, for the log
	// Add writes an event to the archive. Close makes the archive durable, reads it back, and returns its checksum:
	// nothing is removed before that.
	Add   func(*task.Event) error
	Close func() (sum string, err error)
}

// EventsPruneOut is what was removed, or would be.
type EventsPruneOut struct {
	Pruned     int      `json:"pruned"`
	Kept       *int     `json:"kept"`     // events before firstEvent that stay stored, because records need them; null if nothing was done
	Archived   int      `json:"archived"` // events in the archive
	Archive    task.Opt `json:"archive"`
	Sum        task.Opt `json:"sha256"` // of the archive
	FirstEvent int64    `json:"firstEvent"`
	// HeldBack is set if the log could not be pruned as far as requested, because a notification channel has not read past
	// this event yet.
	HeldBack *int64 `json:"heldBack"`
	DryRun   bool   `json:"dryRun"`
}

// pruneAtOnce is how many events one turn reads, and how many one page of the archive has.
const pruneAtOnce = 1000

// EventsPrune writes every event before a time to an archive, and then removes those that no record needs, in short
// turns. It first records where the complete log begins, so that a request for an earlier event is refused, and the next
// prune continues where an interrupted one stopped.
func (s *Service) EventsPrune(ctx context.Context, in EventsPruneIn) (EventsPruneOut, error) {
	before, err := core.ParseSince(in.Before)
	if err != nil {
		return EventsPruneOut{}, err
	}
	out := EventsPruneOut{DryRun: in.DryRun}
	start, err := core.Read(ctx, s.Env, func(tx *store.Tx) (query.LogStart, error) { return s.pruneTo(ctx, tx, before, &out) })
	if err != nil {
		return out, err
	}
	if out.Pruned, err = s.eachWindow(ctx, core.Read[window], (*store.Tx).Unneeded, start.First); err != nil {
		return out, err
	}
	if out.Pruned == 0 {
		return out, nil
	}
	if out.FirstEvent = start.First; in.DryRun {
		return out, nil
	}
	if out.Archived, err = s.archive(ctx, start.First, in.Add); err != nil {
		return out, err
	}
	sum, err := in.Close()
	if err != nil {
		return out, err
	}
	out.Archive, out.Sum = task.Opt(in.Name), task.Opt(sum)
	_, err = core.Write(ctx, s.Env, func(tx *store.Tx) (core.None, error) {
		return core.None{}, tx.Record("", "", task.Draft{Kind: task.EventsPruned, Payload: task.Payload{
			"firstEvent": start.First, "until": start.Until, "archived": out.Archived, "archive": in.Name, "sha256": sum,
		}})
	})
	if err != nil {
		return out, err
	}
	out.Pruned, err = s.eachWindow(ctx, core.Write[window], (*store.Tx).Prune, start.First)
	out.Kept = new(out.Archived - out.Pruned)
	return out, err
}

// pruneTo returns where the log is to begin. A batch stays complete, and events that a notification channel has not read
// stay.
func (s *Service) pruneTo(ctx context.Context, tx *store.Tx, before task.Time, out *EventsPruneOut) (start query.LogStart, err error) {
	if scope := core.CallerOf(ctx).Scope; len(scope.Projects) > 0 {
		return start, fault.Decline("the log is pruned for all projects at once, and this session sees only some of them").
			WithHint("call this without the session")
	}
	all, err := tx.Projects()
	if err != nil {
		return start, err
	}
	for _, p := range all {
		if err := policy.HumansOnly(ctx, s.Env, tx, p, "prune the events of"); err != nil {
			return start, err
		}
	}
	if start, err = tx.LogStart(); err != nil {
		return start, err
	}
	out.FirstEvent = start.First // unless something is removed
	last, err := tx.EventBefore(before)
	if err != nil {
		return start, err
	}
	first := min(last+1, tx.LastEvent())
	behind, err := notifydb.Slowest(tx)
	if err != nil {
		return start, err
	}
	if behind != nil && behind.Cursor+1 < first {
		first, out.HeldBack = behind.Cursor+1, &behind.Cursor
	}
	if first <= start.First {
		return start, nil
	}
	past := first - 1
	at, err := tx.Events(query.Events{SinceID: &past, Limit: 1})
	if err != nil {
		return start, err
	}
	if len(at) > 0 && at[0].ID == first {
		first = at[0].Batch
	}
	gone, err := tx.Events(query.Events{BeforeID: &first, Limit: 1})
	if err != nil || len(gone) == 0 || first <= start.First {
		return start, err
	}
	const milli = 1000 // payloads have times in milliseconds; rounding up refuses too much rather than too little
	return query.LogStart{First: first, Until: (gone[0].At + milli - 1) / milli * milli}, nil
}

// archive passes every stored event before one to add, in order.
func (s *Service) archive(ctx context.Context, before int64, add func(*task.Event) error) (n int, err error) {
	for after := int64(0); ; {
		page, err := core.Read(ctx, s.Env, func(tx *store.Tx) ([]task.Event, error) {
			return tx.Events(query.Events{SinceID: &after, BeforeID: &before, Limit: pruneAtOnce, Bytes: core.PageBytes})
		})
		if err != nil || len(page) == 0 {
			return n, err
		}
		for i := range page {
			if err := add(&page[i]); err != nil {
				return n, err
			}
		}
		n, after = n+len(page), page[len(page)-1].ID
	}
}

// window is how many events of a part of the log an operation found or removed, and where the next part begins; 0 if there
// is none.
type window struct {
	N    int
	Next int64
}

// eachWindow calls do for the log before an event, each part in a transaction of its own, and returns the sum of its
// counts.
func (s *Service) eachWindow(ctx context.Context, in func(context.Context, *core.Env, func(*store.Tx) (window, error)) (window, error),
	do func(tx *store.Tx, from, before int64, limit int) (n int, next int64, err error), before int64,
) (total int, err error) {
	for at := (window{Next: 1}); at.Next != 0; total += at.N {
		at, err = in(ctx, s.Env, func(tx *store.Tx) (w window, err error) {
			w.N, w.Next, err = do(tx, at.Next, before, pruneAtOnce)
			return w, err
		})
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
