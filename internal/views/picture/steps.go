package picture

import (
	"cmp"
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/store"
	"tasker/internal/task"
)

// Step is the set of tasks that could be worked on at once if all earlier steps were closed. Tasks holds the first of
// them, and the critical ones.
type Step struct {
	Total int
	Tasks []Ahead
}

// Ahead is an open task of a step.
type Ahead struct {
	bundle.Brief
	State    string // its state
	Holder   string
	Critical bool
}

// Limits of the order ahead.
const (
	stepsShown = 12
	stepTasks  = 8
)

// ahead projects the order in which open tasks come up, by the rule of the frontier: the first step holds tasks that are
// in progress, in review or ready now; each further step holds what would be ready if everything before it were closed.
// more reports whether there are further steps.
func (s scene) ahead(f *flow, all []*task.Task) (out []Step, more bool) {
	waits := make([]int, len(f.open.Numbers)) // how many open dependencies and parts each waits for
	for _, v := range f.waits {
		waits[v]++
	}
	on := func(id task.ID) int {
		if v, open := f.open.Find(id); open {
			return waits[v]
		}
		return 0
	}
	left := slices.DeleteFunc(slices.Clone(all), func(t *task.Task) bool { return t.Status.Closed() })
	for now := true; len(left) > 0 && len(out) < stepsShown; now = false {
		var step, rest []*task.Task
		for _, t := range left {
			if now && t.Status != task.Open || on(t.ID) == 0 && !(now && t.Questions > 0) {
				step = append(step, t)
			} else {
				rest = append(rest, t)
			}
		}
		for _, t := range step {
			if v, open := f.open.Find(t.ID); open {
				for _, w := range f.waits[f.start[v]:f.start[v+1]] {
					waits[w]--
				}
			}
		}
		if len(step) > 0 {
			s.inOrder(step)
			out = append(out, stepOf(f, step))
		} else if !now {
			break // the marks of circles are wrong: see doctor
		}
		left = rest
	}
	return out, len(left) > 0
}

// inOrder sorts tasks: begun ones first, and each group in the order of selection.
func (s scene) inOrder(step []*task.Task) {
	order := s.Policy.Order()
	slices.SortFunc(step, func(a, b *task.Task) int {
		return cmp.Or(store.One(a.Status == task.Open)-store.One(b.Status == task.Open), order.Compare(s.Policy, s.Actor, a, b))
	})
}

// stepOf returns a step with its first tasks, and those on the critical path.
func stepOf(f *flow, step []*task.Task) Step {
	out := Step{Total: len(step)}
	for n, t := range step {
		if n < stepTasks || f.critical[t.ID] {
			out.Tasks = append(out.Tasks, Ahead{Brief: bundle.BriefOf(t), State: StateOf(t), Holder: string(t.Holder()), Critical: f.critical[t.ID]})
		}
	}
	return out
}
