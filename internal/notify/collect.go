package notify

import (
	"context"
	"slices"
	"sort"

	"github.com/go-json-experiment/json"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/inbox"
	"tasker/internal/store"
	"tasker/internal/store/notifydb"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/query"
	"tasker/internal/task/waiting"
)

// window is how many events are read at once, and how far the stored cursor may lag while there is nothing to queue.
const window = 500

// Worker delivers to one channel. It is not safe for several goroutines.
type Worker struct {
	*Service
	channel delivery.Channel
	holder  string

	// How far it has looked beyond the stored cursor, because there was nothing to queue, and in which generation of
	// the database.
	cursor, generation int64
	stalls             task.Time
}

// Worker returns a worker that delivers to a channel, as a holder of leases.
func (s *Service) Worker(c delivery.Channel, holder string) *Worker {
	return &Worker{Service: s, channel: c, holder: holder}
}

// found is the result of a look at the log.
type found struct {
	queue  *delivery.Queue // as stored; nil if the channel is new
	items  []delivery.Delivery
	cursor int64 // everything up to here has been looked at
	stalls task.Time
	off    bool  // something was skipped because its trigger is off, and stays skipped when the trigger is turned on
	more   bool  // there are events after it
	gen    int64 // the generation
}

// Collect puts the items of new events into the channel's queue, and returns how many. It takes the lease if there are
// any; if another process holds it, it leaves them to that one. more reports whether there are events that it has not
// looked at.
func (w *Worker) Collect(ctx context.Context) (queued int, more bool, err error) {
	ctx = doing(ctx)
	f, err := core.Read(ctx, w.Env, w.look)
	if err != nil {
		return 0, false, err
	}
	if len(f.items) > 0 || f.off || f.queue == nil || f.cursor-f.queue.Cursor >= window {
		stored, err := core.WriteBy(ctx, w.Env, by, func(tx *store.Tx) (bool, error) { return w.enqueue(tx, f) })
		if err != nil || !stored {
			return 0, false, err
		}
	}
	w.cursor, w.stalls, w.generation = f.cursor, f.stalls, f.gen
	return len(f.items), f.more, nil
}

// CollectAll is Collect until it has looked at every event, or ctx ends.
func (w *Worker) CollectAll(ctx context.Context) (queued int, err error) {
	for more := true; err == nil && more && ctx.Err() == nil; {
		var n int
		n, more, err = w.Collect(ctx)
		queued += n
	}
	return queued, err
}

// enqueue stores what look found, and reports whether it did: another process may have been faster, or may hold the
// lease.
func (w *Worker) enqueue(tx *store.Tx, f found) (bool, error) {
	q, err := notifydb.Queue(tx, w.channel.ID())
	if err != nil {
		return false, err
	}
	if q == nil {
		return false, Begin(tx, []delivery.Channel{w.channel})
	}
	if f.queue == nil || q.Cursor != f.queue.Cursor || q.Lease.HeldByAnother(w.holder, tx.Now()) {
		return false, nil
	}
	q.Cursor, q.Stalls = f.cursor, f.stalls
	if len(f.items) > 0 {
		q.Lease = delivery.Taken(w.holder, tx.Now())
		if err := notifydb.Enqueue(tx, f.items); err != nil {
			return false, err
		}
	}
	return true, notifydb.SaveQueue(tx, *q)
}

// Looked returns the newest event that the worker has looked at.
func (w *Worker) Looked() int64 { return w.cursor }

// look returns what the events after the cursor have caused.
func (w *Worker) look(tx *store.Tx) (found, error) {
	q, err := notifydb.Queue(tx, w.channel.ID())
	if err != nil || q == nil {
		return found{}, err
	}
	f := found{queue: q, cursor: q.Cursor, stalls: q.Stalls, gen: tx.Generation()}
	if w.generation == f.gen {
		f.cursor, f.stalls = max(f.cursor, w.cursor), max(f.stalls, w.stalls)
	}
	if err := w.caused(tx, &f); err != nil {
		return f, err
	}
	f.more = f.cursor < tx.LastEvent()
	if w.channel.Wants(waiting.ItemStalled) {
		err = w.stalled(tx, &f)
	}
	return f, err
}

// caused adds the items of the next events, in order.
func (w *Worker) caused(tx *store.Tx, f *found) error {
	from := f.cursor
	events, err := tx.Events(query.Events{SinceID: &from, Limit: window, Bytes: core.PageBytes})
	if err != nil || len(events) == 0 {
		f.cursor = max(from, tx.LastEvent())
		return err
	}
	f.cursor = events[len(events)-1].ID
	projects := map[string]*task.Project{}
	var items []caused
	for _, ev := range events {
		slug := string(ev.Project)
		if _, ok := projects[slug]; ok || slug == "" {
			continue
		}
		p, err := tx.Project(slug)
		if fault.Is(err, fault.NotFound) {
			continue // deleted
		}
		if err != nil {
			return err
		}
		projects[slug] = p
		some, through, err := w.people.Caused(tx, p, from, f.cursor)
		if err != nil {
			return err
		}
		f.cursor = min(f.cursor, through)
		for _, item := range some {
			items = append(items, caused{item, *item.Event})
		}
	}
	again, err := w.again(tx, projects, events, from)
	if err != nil {
		return err
	}
	items = slices.DeleteFunc(append(items, again...), func(c caused) bool { return c.event > f.cursor })
	sort.SliceStable(items, func(i, j int) bool { return items[i].event < items[j].event })
	restored, err := w.restored(tx)
	if err != nil {
		return err
	}
	for _, c := range items {
		if err := w.add(tx, f, projects[c.item.Project], c, c.event <= restored); err != nil {
			return err
		}
	}
	return nil
}

// caused is an item and the event that caused it, or the moment if no event did.
type caused struct {
	item  inbox.Item
	event int64
}

// restored returns the event of the last restore. Items caused before it are held.
func (w *Worker) restored(tx *store.Tx) (int64, error) {
	if tx.Generation() <= 1 {
		return 0, nil
	}
	ev, err := tx.LastRestore()
	if err != nil || ev == nil {
		return 0, err
	}
	return ev.ID, nil
}

// again returns items that have waited since an earlier event and that a new event asks for again: after the last
// approval a review is left if something else is missing, and an edit makes given approvals stale.
func (w *Worker) again(tx *store.Tx, projects map[string]*task.Project, events []task.Event, from int64) ([]caused, error) {
	var out []caused
	for _, ev := range events {
		kinds := asksAnew(ev)
		p := projects[string(ev.Project)]
		if p == nil || ev.Task == "" || !slices.ContainsFunc(kinds, w.channel.Wants) {
			continue
		}
		items, err := w.people.Judged(tx, p, task.ID(ev.Task))
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if item.Event != nil && *item.Event <= from && slices.Contains(kinds, item.Kind) {
				out = append(out, caused{item, ev.ID})
			}
		}
	}
	return out, nil
}

// asksAnew returns the kinds of items that an event can ask for again, for a task that people were asked to judge
// before.
func asksAnew(ev task.Event) []waiting.ItemKind {
	switch ev.Kind {
	case task.ApprovalGiven:
		return []waiting.ItemKind{waiting.ItemReview}
	case task.TaskMoved:
		var p struct {
			To task.Status `json:"to"`
		}
		if json.Unmarshal(ev.Payload, &p) == nil && p.To == task.InReview {
			return []waiting.ItemKind{waiting.ItemReview}
		}
	case task.TaskUpdated:
		var p map[string]any
		if json.Unmarshal(ev.Payload, &p) != nil {
			return nil
		}
		for _, field := range []string{"title", "body", "gate", "criteria"} {
			if _, ok := p[field]; ok {
				return []waiting.ItemKind{waiting.ItemApproval, waiting.ItemVerification}
			}
		}
	default:
	}
	return nil
}

// stalled adds the items of tasks that have stalled in the meantime.
func (w *Worker) stalled(tx *store.Tx, f *found) error {
	all, err := tx.Projects()
	if err != nil {
		return err
	}
	from, through := f.stalls, tx.Now()
	var items []inbox.Item
	projects := map[string]*task.Project{}
	for _, p := range all {
		projects[p.Slug] = p
		if p.Archived {
			continue
		}
		some, upTo, err := w.people.Stalled(tx, p, from)
		if err != nil {
			return err
		}
		through = min(through, upTo)
		items = append(items, some...)
	}
	f.stalls = through
	sort.SliceStable(items, func(i, j int) bool { return items[i].Since < items[j].Since })
	for _, item := range items {
		if item.Since > through {
			continue
		}
		if err := w.add(tx, f, projects[item.Project], caused{item, int64(item.Since)}, false); err != nil {
			return err
		}
	}
	return nil
}

// add appends the delivery of an item, if the channel wants it and the project's configuration does not turn it off.
func (w *Worker) add(tx *store.Tx, f *found, p *task.Project, c caused, held bool) error {
	item := c.item
	settings, err := w.Settings.Effective(p)
	if err != nil || !w.channel.Wants(item.Kind) {
		return err
	}
	if !settings.Notifies(string(item.Kind)) {
		f.off = true
		return nil
	}
	body, err := json.Marshal(item)
	if err != nil {
		return err
	}
	f.items = append(f.items, delivery.Delivery{
		Channel: w.channel.ID(), Name: w.channel.Name(), Project: item.Project, Kind: item.Kind, Item: item.ID, Cause: c.event,
		Body: string(body), State: delivery.Pending, Held: held, NextAt: tx.Now(),
	})
	return nil
}
