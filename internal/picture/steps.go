package picture

import (
	"slices"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/task"
)

// Step is what could be worked on at once if all steps before it were closed. Tasks are the first of them, and the
// critical ones.
type Step struct {
	Total int
	Tasks []Ahead
}

// Ahead is an open task of a step.
type Ahead struct {
	bundle.Brief
	State    string // where it stands
	Holder   string
	Critical bool
}

// Bounds of the order ahead.
const (
	stepsShown = 12
	stepTasks  = 8
)

// ahead projects the order in which open tasks come up, by the rule of the frontier: the first step is what is in
// progress, in review or ready now; each further one is what would be ready if everything before it were closed. more
// reports whether there are further steps.
func (s scene) ahead(f *flow, all []*task.Task) (out []Step, more bool) {
	at := make(map[task.ID]int, len(f.ids))
	var open []*task.Task
	for _, t := range all {
		if !t.Status.Closed() {
			at[t.ID] = len(open)
			open = append(open, t)
		}
	}
	waits := make([]int, len(open)) // for how many open dependencies and parts
	for _, waiters := range f.waiting {
		for _, id := range waiters {
			if i, ok := at[id]; ok {
				waits[i]++
			}
		}
	}
	left := make([]int, len(open))
	for i := range left {
		left[i] = i
	}
	for now := true; len(left) > 0 && len(out) < stepsShown; now = false {
		var step, rest []int
		for _, i := range left {
			t := open[i]
			if now && t.Status != task.Open || waits[i] == 0 && !(now && t.Questions > 0) {
				step = append(step, i)
			} else {
				rest = append(rest, i)
			}
		}
		for _, i := range step {
			for _, id := range f.waiting[open[i].ID] {
				if w, ok := at[id]; ok {
					waits[w]--
				}
			}
		}
		if len(step) > 0 {
			s.inOrder(open, step)
			out = append(out, stepOf(f, open, step))
		} else if !now {
			break // marks of circles are not what they should be: see doctor
		}
		left = rest
	}
	return out, len(left) > 0
}

// inOrder sorts tasks that are begun before the others, and each group by the order of selection.
func (s scene) inOrder(open []*task.Task, step []int) {
	order := s.Policy.Order()
	slices.SortFunc(step, func(a, b int) int {
		if x, y := open[a].Status == task.Open, open[b].Status == task.Open; x != y {
			if y {
				return -1
			}
			return 1
		}
		return order.Compare(s.Policy, s.Actor, open[a], open[b])
	})
}

// stepOf returns a step with its first tasks, and those on the critical path.
func stepOf(f *flow, open []*task.Task, step []int) Step {
	out := Step{Total: len(step)}
	for n, i := range step {
		t := open[i]
		if n >= stepTasks && !f.critical[t.ID] {
			continue
		}
		a := Ahead{Brief: core.BriefOf(t), State: stateOf(t), Critical: f.critical[t.ID]}
		if t.Claim != nil {
			a.Holder = t.Claim.Actor
		}
		out.Tasks = append(out.Tasks, a)
	}
	return out
}
