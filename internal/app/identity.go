package app

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"tasker/internal/admin"
	"tasker/internal/app/services"
	"tasker/internal/cli/frame"
	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/policy"
	"tasker/internal/server/httpapi"
	"tasker/internal/task"
)

// identity decides on whose behalf a server acts. Every request asks it first, so a changed file takes effect with the next
// request, and the files are checked once per request. It is decided at the start: a file that changes later takes rights from
// that actor, but gives it none and makes it nobody else.
type identity struct {
	holder *config.Holder
	named  frame.Named
	first  atomic.Pointer[decided] // at the start
	last   atomic.Pointer[decided]
	closed atomic.Bool // sessions have been required once
}

// decided is the result of one reading of the configuration: who acts.
type decided struct {
	httpapi.Identity
	loaded  *config.Loaded
	pending error // what the files say of the actor and only a restart brings; nil if they say nothing else
}

// loaded returns the configuration as the last request saw it.
func (i *identity) loaded() *config.Loaded {
	if d := i.last.Load(); d != nil {
		return d.loaded
	}
	return i.holder.Current()
}

func (i *identity) now() *decided {
	loaded := i.holder.Current()
	if d := i.last.Load(); d != nil && d.loaded == loaded {
		return d
	}
	d := i.decide(loaded)
	i.last.Store(d)
	return d
}

// decide reads a configuration. Once one has required sessions, they stay required until the server stops: editing a
// file must not open what others rely on being closed.
func (i *identity) decide(loaded *config.Loaded) *decided {
	d := &decided{loaded: loaded}
	eff, err := loaded.For(loaded.Project(), nil)
	if err == nil && eff.Auth.Mode == "session" {
		i.closed.Store(true)
	}
	d.Closed, d.Err = i.closed.Load(), err
	if err != nil {
		return d
	}
	d.Caller, d.Err = frame.Identify(i.named, loaded, policy.Settings(func() *config.Loaded { return loaded }))
	// A server acts as it is configured; its events say whose shell it runs in.
	d.Caller.Actor.Served, d.Caller.Actor.Shell = d.Caller.Actor.Shell, ""
	d.Caller.Actor.Started = true
	if d.Err == nil && !i.first.CompareAndSwap(nil, d) {
		d.stay(i.first.Load(), loaded)
	}
	return d
}

// stay keeps the identity of the start, with the rights that the files still give it.
func (d *decided) stay(first *decided, loaded *config.Loaded) {
	files := d.Caller
	was := first.Caller.Actor
	now, err := policy.Settings(func() *config.Loaded { return loaded }).Actor(was.Full())
	if err != nil {
		d.Err = err
		return
	}
	within := now.Within(was)
	switch {
	case files.Actor.Full() != was.Full():
		d.pending = fault.Bad("the files would make this server act as %s, and it goes on as %s until it is restarted", files.Actor.Full(), was.Full())
	case !within.Alike(now):
		d.pending = fault.Bad("the files give %s, which this server acts as, more rights than at its start: they count after a restart", was.Full())
	}
	within.Served, within.Shell, within.Started = was.Served, was.Shell, true
	d.Caller = first.Caller
	d.Caller.Actor, d.Caller.Project = within, files.Project
}

// sessions checks credentials for the front door.
type sessions struct {
	id       *identity
	services *services.Set

	mu   sync.Mutex
	used map[int64]task.Time // not yet written to the database
}

var _ httpapi.Sessions = (*sessions)(nil)

// Enter returns on whose behalf a credential acts: the actor that the session was made for, as the configuration declares
// it now.
func (s *sessions) Enter(ctx context.Context, credential string) (httpapi.Entry, error) {
	entered, err := s.services.Admin.Enter(ctx, admin.EnterIn{Credential: credential})
	if err != nil {
		return httpapi.Entry{}, err
	}
	one := entered.Session
	actor, err := s.services.Settings.Actor(one.Actor)
	if err != nil {
		return httpapi.Entry{}, err
	}
	s.note(one, entered.Now)
	out := httpapi.Entry{Caller: core.Caller{
		Actor: actor, How: fmt.Sprintf("session %d", one.ID), Via: task.Via{Session: task.Opt(strconv.FormatInt(one.ID, 10)), Agent: task.Opt(s.id.named.Agent)},
		Scope: task.Scope{Projects: one.Projects, ReadOnly: one.ReadOnly},
	}}
	if own := s.id.loaded().Project(); out.Caller.Scope.Covers(own) {
		out.Caller.Project = own
	}
	if one.ExpiresAt != 0 {
		out.ExpiresAt = one.ExpiresAt.Go()
	}
	return out, nil
}

// Leave ends the session of a credential, on behalf of its actor.
func (s *sessions) Leave(ctx context.Context, credential string, in httpapi.Entry) error {
	who := in.Caller
	who.Scope = task.Scope{} // it writes to no project
	_, err := s.services.Admin.Leave(core.WithCaller(ctx, who), admin.EnterIn{Credential: credential})
	return err
}

// fresh is how long a recorded use of a session is recent enough, in milliseconds.
const fresh = 60_000

// note remembers that a session was used, unless the database already knows.
func (s *sessions) note(one task.Session, now task.Time) {
	if now < one.LastUsedAt.Add(fresh) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.used == nil {
		s.used = map[int64]task.Time{}
	}
	s.used[one.ID] = now
}

// write records which sessions were used, all of them in one turn. The list only informs people, so a failed write is
// dropped.
func (s *sessions) write(ctx context.Context) {
	s.mu.Lock()
	used := s.used
	s.used = nil
	s.mu.Unlock()
	if len(used) > 0 {
		_, _ = s.services.Admin.Used(ctx, admin.UsedIn{At: used})
	}
}
