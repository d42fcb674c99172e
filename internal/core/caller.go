package core

import (
	"context"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// Caller is on whose behalf an operation runs. The face resolves it; no request names its actor.
type Caller struct {
	Actor   task.Actor
	How     string // what decided the identity, for whoami: "--actor", "TASKER_ACTOR", …
	Via     task.Via
	Project string // the project to assume where a request names none; may be empty
	Idem    *Idem  // the request's idempotency key, if it has one
	// Scope is what the caller may reach: the store shows nothing else, and takes no write from a reader.
	Scope task.Scope
	// Assumed is set where nobody said who acts, and the name is only that of the operating system's user.
	Assumed bool
}

// Idem is an idempotency key with the digest of the body it came with.
type Idem struct {
	Key    query.IdemKey
	Digest string
}

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the context's caller: an undeclared agent without a name where there is none.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Settings is what configuration decides. Config fills it; the zero implementation declares nothing.
type Settings interface {
	// Policy is what counts for a project, whose record carries the db layer.
	Policy(p *task.Project) (task.Policy, error)
	// Actor completes a name (with its instance) by what is declared of it.
	Actor(name string) (task.Actor, error)
	// ActorIn is who an actor counts as in a project, whose db layer may declare actors too.
	ActorIn(p *task.Project, a task.Actor) (task.Actor, error)
	// Actors are those that are declared for a project, in the order of their declaration.
	Actors(p *task.Project) ([]task.Actor, error)
	// Effective is the configuration that counts for a project, with where each value comes from.
	Effective(p *task.Project) (*config.Effective, error)
}

// By is in whose name this context writes.
func By(ctx context.Context) task.By {
	c := CallerOf(ctx)
	return task.By{Actor: c.Actor, Via: c.Via}
}

// MayOnlyRead refuses a write of a caller whose session is read-only.
func MayOnlyRead() error {
	return fault.New(fault.Forbidden, "the session is read-only").
		WithHint("write with a session that was made without --read-only")
}
