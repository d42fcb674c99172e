package core

import (
	"context"

	"tasker/internal/task"
	"tasker/internal/task/query"
)

// earlierClaims is how many claims of a task are looked at for an earlier one by the plain name.
const earlierClaims = 100

// ActingFor returns the actor with the instance of its name whose claim on the task it acts for, if any. An agent that has
// tools and a shell is one worker: what its tools hold under an instance, a command without one may work on. That is clear
// if no other instance of the name holds anything in the project, and if the plain name has never held the task itself:
// then the instance may be its successor. Otherwise the fence of the claim says so. Over HTTP nobody acts for an instance.
func ActingFor(ctx context.Context, tx *ReadTx, t *task.Task, a task.Actor, fence *int64) (task.Actor, error) {
	if a.Instance != "" || a.Holds(t.Claim) || !t.Claim.Live(tx.Now()) || CallerOf(ctx).Via.Face != "cli" {
		return a, nil
	}
	if name, _, err := task.ParseActor(t.Claim.Actor); err != nil || name != a.Name {
		return a, nil //nolint:nilerr // a name from before the grammar was this strict is nobody's instance
	}
	if fence != nil { // whether it is the claim's is checked by every write
		a.For = t.Claim.Actor
		return a, nil
	}
	held, err := tx.Tasks.Held(t.Project, a.Name, false)
	if err != nil {
		return a, err
	}
	for _, other := range held {
		if other.Claim != nil && other.Claim.Actor != a.Name && other.Claim.Actor != t.Claim.Actor {
			return a, nil
		}
	}
	claims, err := tx.Log.Events(query.Events{Task: t.ID, Kind: string(task.TaskClaimed), Limit: earlierClaims})
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

// Writer returns who the caller is on a task of a project, and the policy that counts there.
func (s *Env) Writer(ctx context.Context, tx *ReadTx, p *task.Project, t *task.Task, fence *int64) (task.Actor, task.Policy, error) {
	a, pol, err := s.Rules(ctx, p)
	if err != nil {
		return a, pol, err
	}
	a, err = ActingFor(ctx, tx, t, a, fence)
	return a, pol, err
}
