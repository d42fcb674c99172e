package landing

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
)

// ListIn says what somebody wants to land. Without tasks it is all that is ready in the project.
type ListIn struct {
	Project string
	Tasks   []task.ID
	DryRun  bool
}

// Listed is what can land, in order, and why other tasks cannot.
type Listed struct {
	Project string
	Items   []Item
	Skipped []Skip
	Records []Record
}

// Item is a task that can land, with what finds its branch.
type Item struct {
	Task     task.ID
	Title    string
	Gate     string
	Asks     []string // the $ lines of its gate
	Status   task.Status
	Bound    []string // branches that are bound to it
	Building bool     // it has dependencies or parts
}

// MayLand refuses to land anything for an agent in a project that declares a human: what lands is a person's to decide.
func MayLand(a task.Actor, p task.Policy, dryRun bool) error {
	if a.Person() || !p.DeclaresHuman || dryRun {
		return nil
	}
	return fault.Decline("%s may not land anything: in a project that declares a human, people do", a.FullOr("nobody")).
		WithHint("see what would land: %s", hint.Here("land --ready --dry-run"))
}

// List returns what can land, in order.
func (s *Service) List(ctx context.Context, in ListIn) (Listed, error) {
	return core.Within(ctx, s.Env, in.Project, nil, func(sc core.Scene) (out Listed, err error) {
		out = Listed{Project: sc.Project.Slug, Items: []Item{}, Skipped: []Skip{}}
		if err := MayLand(sc.Actor, sc.Policy, in.DryRun); err != nil {
			return out, err
		}
		if !in.DryRun {
			if err := core.Writable(sc.Project); err != nil {
				return out, err
			}
		}
		if out.Records, err = Waiting(sc, in.Tasks...); err != nil {
			return out, err
		}
		named := in.Tasks
		if len(named) == 0 {
			named = nil
		}
		order, skipped := Queue(out.Records, named)
		out.Skipped = append(out.Skipped, skipped...)
		out.Items, err = items(sc, order)
		return out, err
	})
}

func items(sc core.Scene, order []task.ID) ([]Item, error) {
	out := make([]Item, 0, len(order))
	for _, id := range order {
		t, err := sc.Tx.Task(id)
		if err != nil {
			return nil, err
		}
		item := Item{Task: t.ID, Title: t.Title, Gate: string(t.Gate), Status: t.Status, Asks: task.CommandLines(sc.Policy.Gates[string(t.Gate)])}
		if t.BindingCount > 0 {
			bound, err := sc.Tx.Bindings(t.ID)
			if err != nil {
				return nil, err
			}
			for _, b := range bound {
				if b.Kind == "branch" {
					item.Bound = append(item.Bound, b.Ref)
				}
			}
		}
		out = append(out, item)
	}
	return out, nil
}
