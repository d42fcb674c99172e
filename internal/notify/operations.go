package notify

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/store"
	"tasker/internal/store/notifydb"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
	"tasker/internal/task/waiting"
)

// View is a delivery as it is listed.
type View struct {
	ID          int64          `json:"id"`
	Channel     string         `json:"channel"`
	Kind        string         `json:"kind"`
	Item        string         `json:"item"`
	Attempts    int            `json:"attempts"`
	State       delivery.State `json:"state"`
	LastError   task.Opt       `json:"lastError"`
	NextAt      task.Time      `json:"nextAt"`
	DeliveredAt task.Time      `json:"deliveredAt"`
	DryRun      bool           `json:"dryRun,omitzero"`
}

func view(d *delivery.Delivery) View {
	v := View{
		ID: d.ID, Channel: d.Name, Kind: string(d.Kind), Item: d.Item, Attempts: d.Attempts, State: d.State,
		LastError: task.Opt(d.LastError), NextAt: d.NextAt, DeliveredAt: d.DeliveredAt,
	}
	if d.Held {
		v.NextAt, v.LastError = 0, "held since the database was restored, until somebody runs notify flush"
	}
	return v
}

// LogIn says which deliveries to list.
type LogIn struct {
	State delivery.State // "": all states
	Limit *int
}

// Log returns the newest deliveries, oldest first.
func (s *Service) Log(ctx context.Context, in LogIn) ([]View, error) {
	limit, err := core.Limit(in.Limit)
	if err != nil {
		return nil, err
	}
	return core.Read(ctx, s.Env, func(tx *store.Tx) ([]View, error) {
		all, err := notifydb.Deliveries(tx, in.State, limit)
		out := make([]View, len(all))
		for i, d := range all {
			out[i] = view(d)
		}
		return out, err
	})
}

// FlushIn says who takes the leases.
type FlushIn struct{ Holder string }

// FlushOut says how many deliveries were delivered and given up just now, and how many are left.
type FlushOut struct {
	Delivered int `json:"delivered"`
	Failed    int `json:"failed"`
	Pending   int `json:"pending"`
}

// Flush delivers what is pending to the channels of this process, without waiting for the time of the next attempt. It
// first releases what has been held since a restore. It leaves a channel to the server that delivers to it.
func (s *Service) Flush(ctx context.Context, in FlushIn) (FlushOut, error) {
	channels := s.channels()
	workers := make([]*Worker, len(channels))
	for i, c := range channels {
		workers[i] = s.Worker(c, in.Holder)
		if _, err := workers[i].CollectAll(ctx); err != nil {
			return FlushOut{}, err
		}
	}
	_, err := core.WriteBy(doing(ctx), s.Env, by, func(tx *store.Tx) (core.None, error) { return core.None{}, notifydb.ReleaseDeliveries(tx) })
	if err != nil {
		return FlushOut{}, err
	}
	tallies, errs := make([]Tally, len(workers)), make([]error, len(workers))
	var all sync.WaitGroup
	for i, w := range workers {
		all.Go(func() { tallies[i], _, errs[i] = w.Send(ctx, true) })
	}
	all.Wait()
	if err := errors.Join(errors.Join(errs...), s.Release(context.WithoutCancel(ctx), in.Holder, channels)); err != nil {
		return FlushOut{}, err
	}
	var out FlushOut
	for _, t := range tallies {
		out.Delivered, out.Failed = out.Delivered+t.Delivered, out.Failed+t.Failed
		out.Pending += t.Retried
	}
	out.Pending = core.Completed(ctx, s.Env, out.Pending, func(tx *store.Tx) (int, error) {
		n, _, err := notifydb.PendingDeliveries(tx)
		return n, err
	})
	return out, nil
}

// DeliveryIn names a delivery.
type DeliveryIn struct {
	ID     int64
	DryRun bool
}

// would returns a delivery as the write leaves it, or would leave it.
func (in DeliveryIn) would(d *delivery.Delivery) View {
	v := view(d)
	v.DryRun = in.DryRun
	return v
}

// Redeliver queues a delivery again, whatever its state.
func (s *Service) Redeliver(ctx context.Context, in DeliveryIn) (View, error) {
	return core.WriteUnless(ctx, s.Env, in.DryRun, func(tx *store.Tx) (View, error) {
		d, err := notifydb.Delivery(tx, in.ID)
		if err != nil {
			return View{}, err
		}
		after := d.Again(tx.Now())
		return in.would(after), notifydb.SaveDelivery(tx, after)
	})
}

// Drop gives up a delivery that is pending or has failed.
func (s *Service) Drop(ctx context.Context, in DeliveryIn) (View, error) {
	return core.WriteUnless(ctx, s.Env, in.DryRun, func(tx *store.Tx) (View, error) {
		d, err := notifydb.Delivery(tx, in.ID)
		if err != nil {
			return View{}, err
		}
		if d.State == delivery.Delivered {
			return View{}, fault.Decline("delivery %d is delivered, so there is nothing to drop", d.ID).
				WithHint("list what is pending: %s", hint.Command("notify log --state pending"))
		}
		if d.State == delivery.Failed {
			return in.would(d), nil
		}
		after := d.Dropped(core.CallerOf(ctx).Actor.Full())
		return in.would(after), notifydb.SaveDelivery(tx, after, events(after)...)
	})
}

// TestIn names the project of a test message.
type TestIn struct{ Project string }

// Tested is how the test of a channel ended, and which kinds of items of the project it gets.
type Tested struct {
	Channel   string             `json:"channel"`
	Kinds     []waiting.ItemKind `json:"kinds"`
	Delivered bool               `json:"delivered"`
	Error     task.Opt           `json:"error"`
}

// gets returns the kinds of items that a channel gets under a project's settings.
func gets(c delivery.Channel, settings *config.Effective) []waiting.ItemKind {
	return slices.DeleteFunc(slices.Clone(waiting.ItemKinds), func(kind waiting.ItemKind) bool {
		return !c.Wants(kind) || !settings.Notifies(string(kind))
	})
}

// Test sends a test item to every channel, once. It stores nothing.
func (s *Service) Test(ctx context.Context, in TestIn) ([]Tested, error) {
	channels := s.channels()
	if len(channels) == 0 {
		return nil, fault.Decline("no channel is declared, so nobody is notified").
			WithHint("declare one under notifications.channels in .tasker.json; %s explains the keys", hint.Command("config explain notifications.channels"))
	}
	p, now := &task.Project{Slug: in.Project}, task.Time(0)
	_, err := core.Read(ctx, s.Env, func(tx *store.Tx) (core.None, error) {
		now = tx.Now()
		stored, err := tx.Project(in.Project)
		if err == nil {
			p = stored
		} else if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
			err = nil // the file's settings count even before they are applied
		}
		return core.None{}, err
	})
	if err != nil {
		return nil, err
	}
	settings, err := s.Settings.Effective(p)
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(inbox.Item{
		ID: "test", Kind: "test", Project: in.Project, Title: "A test", For: "human", Why: "this is a test of the channel; nothing is waiting for you", Since: now,
	})
	if err != nil {
		return nil, err
	}
	out := make([]Tested, len(channels))
	var all sync.WaitGroup
	for i, c := range channels {
		all.Go(func() {
			sending, cancel := context.WithTimeout(ctx, delivery.SendTime)
			defer cancel()
			d := delivery.Delivery{Channel: c.ID(), Item: "test", Cause: int64(now), Body: string(body)}
			o := s.Notifier.Send(sending, c, delivery.Message{ID: d.MessageID(), Kind: "test", Project: in.Project, Body: string(body)})
			out[i] = Tested{c.Name(), gets(c, settings), o.OK(), task.Opt(o.Error)}
		})
	}
	all.Wait()
	return out, nil
}
