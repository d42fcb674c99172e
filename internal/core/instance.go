package core

import (
	"context"

	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// earlierClaims is how many claims of a task are searched for an earlier one by the plain name.
const earlierClaims = 100

// ActingFor returns the actor with the instance of its name for whose claim on the task it acts, if any. An agent with
// tools and a shell is one worker: a command without an instance may work on what its tools hold under one. That is
// unambiguous if no other instance of the name holds anything in the project, and if the plain name has never held the
// task itself: otherwise the instance may be its successor. In all other cases the fence of the claim decides. Over
// HTTP, only a command that is sent through the server acts for an instance.
func ActingFor(ctx context.Context, tx *store.Tx, t *task.Task, a task.Actor, fence *int64) (task.Actor, error) {
	if a.Instance != "" || a.Holds(t.Claim) || !t.Claim.Live(tx.Now()) || !CallerOf(ctx).AtCommand() {
		return a, nil
	}
	if name, _, err := task.ParseActor(t.Claim.Actor); err != nil || name != a.Name {
		return a, nil //nolint:nilerr // a name from before names were checked this strictly is nobody's instance
	}
	if fence != nil { // every write checks whether it belongs to the claim
		a.For = t.Claim.Actor
		return a, nil
	}
	held, err := tx.Held(t.Project, a.Name, false)
	if err != nil {
		return a, err
	}
	if only, ok := onlyInstance(held, a.Name); ok && only == t.Claim.Actor {
		return succeeded(tx, t, a)
	}
	return a, nil
}

// onlyInstance returns the only instance of a name that holds any of the tasks, and whether there is exactly one.
func onlyInstance(held []*task.Task, name string) (only string, ok bool) {
	for _, t := range held {
		switch {
		case t.Claim == nil || t.Claim.Actor == name || t.Claim.Actor == only:
		case only != "":
			return "", false
		default:
			only = t.Claim.Actor
		}
	}
	return only, only != ""
}

// succeeded returns the actor as acting for the holder of a task, unless the plain name held it before: then the holder
// may be its successor.
func succeeded(tx *store.Tx, t *task.Task, a task.Actor) (task.Actor, error) {
	claims, err := tx.Events(query.Events{Task: t.ID, Kind: string(task.TaskClaimed), Limit: earlierClaims})
	if err != nil {
		return a, err
	}
	for _, c := range claims {
		if c.Actor == a.Name {
			return a, nil
		}
	}
	a.For = t.Claim.Actor
	return a, nil
}

// Holdings returns what the caller can work on as its own in the projects: what it holds, what its plain name holds,
// and what the instance that it acts for holds.
func Holdings(ctx context.Context, tx *store.Tx, projects []string) ([]*task.Task, error) {
	c := CallerOf(ctx)
	var out []*task.Task
	for _, project := range projects {
		switch {
		case c.Actor.Instance != "":
			for _, name := range []string{c.Actor.Full(), c.Actor.Name} {
				held, err := tx.Held(project, name, true)
				if err != nil {
					return nil, err
				}
				out = append(out, held...)
			}
		default:
			held, err := tx.Held(project, c.Actor.Name, !c.AtCommand())
			if err != nil {
				return nil, err
			}
			only, _ := onlyInstance(held, c.Actor.Name)
			for _, t := range held {
				a := c.Actor
				if t.Claim.Actor == only {
					if a, err = succeeded(tx, t, a); err != nil {
						return nil, err
					}
				}
				if a.Holds(t.Claim) {
					out = append(out, t)
				}
			}
		}
	}
	return out, nil
}

// Writer returns the caller as it acts on a task of a project, and the policy that counts there.
func (s *Env) Writer(ctx context.Context, tx *store.Tx, p *task.Project, t *task.Task, fence *int64) (task.Actor, task.Policy, error) {
	a, pol, err := s.Rules(ctx, tx, p)
	if err != nil {
		return a, pol, err
	}
	a, err = ActingFor(ctx, tx, t, a, fence)
	return a, pol, err
}
