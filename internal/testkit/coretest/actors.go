package coretest

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// The callers of most tests: two agents, and two humans. Ann has the role lead.
var (
	Bot = Agent("bot")
	Bee = Agent("bee")
	Ann = Human("ann", "lead")
	Bob = Human("bob")
)

// Agent returns the context of a declared agent.
func Agent(name string) context.Context {
	return As(task.Actor{Name: name, Declared: true})
}

// Human returns the context of a declared human.
func Human(name string, roles ...string) context.Context {
	return As(task.Actor{Name: name, Human: true, Declared: true, Roles: roles})
}

// As returns the context of an actor whose project is demo.
func As(a task.Actor) context.Context {
	return core.WithCaller(context.Background(), core.Caller{Actor: a, How: "test", Via: task.Via{Face: "cli"}, Project: "demo"})
}

// WithKey returns ctx with an idempotency key, for a request to path whose body has the digest.
func WithKey(ctx context.Context, path, key, digest string) context.Context {
	c := core.CallerOf(ctx)
	c.Idem = &core.Idem{Key: query.IdemKey{Actor: c.Actor.Full(), Path: path, Key: key}, Digest: digest}
	return core.WithCaller(ctx, c)
}
