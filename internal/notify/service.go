// Package notify notifies people of inbox items. A channel has a cursor in the event log. The process that holds the
// channel's lease puts the items of the events after it into the channel's queue, and sends them in order, at least
// once. Nothing here waits: the caller decides when to try again.
package notify

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/inbox"
	"tasker/internal/store"
	"tasker/internal/store/notifydb"
	"tasker/internal/task"
	"tasker/internal/task/delivery"
)

// Service carries out the operations of this package.
type Service struct {
	*core.Env
	people *inbox.Service
}

// New returns the service over env. who knows the items.
func New(env *core.Env, who *inbox.Service) *Service { return &Service{env, who} }

// In returns the service in another environment, for one call.
func (s *Service) In(env *core.Env) *Service { return &Service{env, s.people.In(env)} }

// Doing is the name of this package's turns. They cause no items.
const Doing = "deliver"

func doing(ctx context.Context) context.Context { return core.Doing(ctx, Doing) }

// by is the actor that deliveries are recorded under: nobody asked for them.
var by = task.By{Actor: task.Actor{Name: task.Sweeper}, Via: task.Via{Face: "server"}}

// channels returns the channels that this process delivers to.
func (s *Service) channels() []delivery.Channel {
	if s.Notifier == nil {
		return nil
	}
	return s.Notifier.Channels()
}

// Begin stores the present end of the log for new channels, so that they get everything from here on, and nothing from
// before.
func Begin(tx *store.Tx, channels []delivery.Channel) error {
	for _, c := range channels {
		q, err := notifydb.Queue(tx, c.ID())
		if err != nil {
			return err
		}
		if q != nil {
			continue
		}
		if err := notifydb.SaveQueue(tx, delivery.Queue{Channel: c.ID(), Cursor: tx.LastEvent(), Stalls: tx.Now()}); err != nil {
			return err
		}
	}
	return nil
}

// Hold takes or renews the leases of channels, except those that somebody else holds, and returns the ones it has.
func (s *Service) Hold(ctx context.Context, holder string, channels []delivery.Channel) (map[string]bool, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	return core.WriteBy(doing(ctx), s.Env, by, func(tx *store.Tx) (map[string]bool, error) {
		if err := Begin(tx, channels); err != nil {
			return nil, err
		}
		mine := map[string]bool{}
		for _, c := range channels {
			ok, err := hold(tx, c, holder)
			if err != nil {
				return nil, err
			}
			if ok {
				mine[c.ID()] = true
			}
		}
		return mine, nil
	})
}

// hold takes or renews the lease of an existing channel, and reports whether it has it.
func hold(tx *store.Tx, c delivery.Channel, holder string) (bool, error) {
	q, err := notifydb.Queue(tx, c.ID())
	if err != nil || q == nil || q.Lease.HeldByAnother(holder, tx.Now()) {
		return false, err
	}
	q.Lease = delivery.Taken(holder, tx.Now())
	return true, notifydb.SaveQueue(tx, *q)
}

// Release gives back the leases of channels.
func (s *Service) Release(ctx context.Context, holder string, channels []delivery.Channel) error {
	_, err := core.WriteBy(doing(ctx), s.Env, by, func(tx *store.Tx) (core.None, error) {
		for _, c := range channels {
			q, err := notifydb.Queue(tx, c.ID())
			if err != nil {
				return core.None{}, err
			}
			if q == nil || q.Lease.Holder != holder {
				continue
			}
			q.Lease = delivery.Lease{}
			if err := notifydb.SaveQueue(tx, *q); err != nil {
				return core.None{}, err
			}
		}
		return core.None{}, nil
	})
	return err
}
