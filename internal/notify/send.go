package notify

import (
	"cmp"
	"context"
	"errors"

	"tasker/internal/core"
	"tasker/internal/store"
	"tasker/internal/store/notifydb"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
)

// Tally counts deliveries by what happened to them.
type Tally struct {
	Delivered int
	Retried   int // failed attempts that will be repeated
	Failed    int // given up
}

// Send sends what is queued, in order, until nothing is due, an attempt has to be repeated, or ctx ends. With early, it
// does not wait for the time of the next attempt. next is when there is something to do again, or 0 if nothing is
// queued.
func (w *Worker) Send(ctx context.Context, early bool) (out Tally, next task.Time, err error) {
	ctx = doing(ctx)
	for ctx.Err() == nil {
		d, err := w.take(ctx, early)
		if err != nil || d == nil {
			return out, 0, err
		}
		if !d.ready {
			return out, d.NextAt, nil
		}
		sending, cancel := context.WithTimeout(ctx, delivery.SendTime)
		o := w.Notifier.Send(sending, w.channel, d.Message())
		cancel()
		if !o.OK() && errors.Is(ctx.Err(), context.Canceled) {
			return out, 0, nil // ctx ended, which is not the receiver's fault
		}
		after, err := w.settle(ctx, d.Delivery, o)
		if err != nil || after == nil {
			return out, 0, err
		}
		switch after.State {
		case delivery.Delivered:
			out.Delivered++
		case delivery.Failed:
			out.Failed++
		case delivery.Pending:
			out.Retried++
			return out, after.NextAt, nil
		}
	}
	return out, 0, nil
}

// taken is the first delivery of a channel, and whether to send it now.
type taken struct {
	*delivery.Delivery
	ready bool
}

// take returns the first delivery of the queue, and takes the lease if it is due. It returns nil if nothing is queued
// or another process has the lease.
func (w *Worker) take(ctx context.Context, early bool) (*taken, error) {
	next := func(tx *store.Tx) (*taken, error) {
		d, err := notifydb.NextDelivery(tx, w.channel.ID())
		if err != nil || d == nil {
			return nil, err
		}
		return &taken{d, early || d.Due(tx.Now())}, nil
	}
	first, err := core.Read(ctx, w.Env, next)
	if err != nil || first == nil || !first.ready {
		return first, err
	}
	return core.WriteBy(ctx, w.Env, by, func(tx *store.Tx) (*taken, error) {
		mine, err := hold(tx, w.channel, w.holder)
		if err != nil || !mine {
			return nil, err
		}
		return next(tx)
	})
}

// settle stores how an attempt ended. It returns nil if the delivery no longer belongs to this worker: another process
// has the lease, or somebody dropped the delivery. The item was sent all the same, so it stores the outcome even if ctx
// has ended.
func (w *Worker) settle(ctx context.Context, d *delivery.Delivery, o delivery.Outcome) (*delivery.Delivery, error) {
	return core.WriteBy(context.WithoutCancel(ctx), w.Env, by, func(tx *store.Tx) (*delivery.Delivery, error) {
		q, err := notifydb.Queue(tx, w.channel.ID())
		if err != nil || q == nil || q.Lease.Holder != w.holder {
			return nil, err
		}
		now, err := notifydb.Delivery(tx, d.ID)
		if err != nil || now.State != delivery.Pending {
			return nil, err
		}
		after := now.After(o, tx.Now())
		return after, notifydb.SaveDelivery(tx, after, events(after)...)
	})
}

// events returns the event that records what happened to a delivery.
func events(d *delivery.Delivery) []task.Draft {
	p := task.Payload{"delivery": d.ID, "channel": d.Name, "item": d.Item, "attempts": d.Attempts}
	switch d.State {
	case delivery.Delivered:
		return []task.Draft{{Kind: task.NotificationDelivered, Payload: p}}
	case delivery.Failed:
		p["error"] = d.LastError
		return []task.Draft{{Kind: task.NotificationFailed, Payload: p}}
	default:
		return nil
	}
}

// Caught delivers what was just caused: the items of new events, and what was queued before them, with one attempt
// each. If nothing is new, or another process holds the lease, it does nothing.
func (w *Worker) Caught(ctx context.Context) error {
	queued, err := w.CollectAll(ctx)
	if err != nil {
		return err
	}
	if queued == 0 {
		fresh, err := core.Read(doing(ctx), w.Env, func(tx *store.Tx) (bool, error) {
			d, err := notifydb.NextDelivery(tx, w.channel.ID())
			return d != nil && d.Attempts == 0, err
		})
		if err != nil || !fresh {
			return err
		}
	}
	_, _, err = w.Send(ctx, true)
	return cmp.Or(err, w.Release(context.WithoutCancel(ctx), w.holder, []delivery.Channel{w.channel}))
}
