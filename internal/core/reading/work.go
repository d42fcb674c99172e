package reading

import (
	"context"

	"tasker/internal/glob"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// WorkOut is what can be worked on, how much of it at once, and what waits for what.
type WorkOut struct {
	Project  string       `json:"project"`
	Frontier []*task.Task `json:"frontier"`
	Batches  []Batch      `json:"batches"`
	Blocked  []Blocked    `json:"blocked"`
	Leases   []Lease      `json:"leases"`
	History  []task.Event `json:"history"`
	Totals   WorkTotals   `json:"totals"`
}

// WorkTotals are how many there are, listed or not.
type WorkTotals struct {
	Ready   int `json:"ready"`
	Blocked int `json:"blocked"`
	Held    int `json:"held"`
}

// Batch is a set of ready tasks that can be worked on at once: no path can be touched by two of them. Undeclared tasks
// do not say what they touch, and can run beside anything. Apart says why others have to wait.
type Batch struct {
	Tasks      []task.ID `json:"tasks"`
	Undeclared []task.ID `json:"undeclared"`
	Apart      []Apart   `json:"apart"`
}

// Apart is a pair of tasks that cannot run at once.
type Apart struct {
	A   task.ID `json:"a"`
	B   task.ID `json:"b"`
	Why string  `json:"why"`
}

// Blocked is a waiting task: the open tasks that it waits for, and the first of the chain that somebody can act on.
type Blocked struct {
	Task     task.ID   `json:"task"`
	Title    string    `json:"title"`
	WaitsFor []task.ID `json:"waitsFor"`
	ActOn    *ActOn    `json:"actOn"`
}

// ActOn is what somebody can do now to bring a waiting task nearer.
type ActOn struct {
	Task   task.ID     `json:"task"`
	Title  string      `json:"title"`
	Status task.Status `json:"status"`
	Holder task.Opt    `json:"holder"`
}

// Bounds of parts of a work answer, which follow the limit otherwise.
const (
	maxBatched = 200 // ready tasks that are put into batches
	maxChain   = 200 // steps along a chain of waiting tasks
	history    = 20
)

// Work returns the frontier with its parallel batches, what is blocked and by what, who holds what, and what happened.
func (s *Service) Work(ctx context.Context, in ProjectIn) (WorkOut, error) {
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (WorkOut, error) {
		p := sc.Project
		out := WorkOut{Project: p.Slug, Totals: WorkTotals{Ready: p.Ready, Blocked: p.Blocked, Held: p.Held}}
		var err error
		if out.Frontier, err = sc.Filled(query.LaneReady, sc.Limit); err != nil {
			return out, err
		}
		out.Batches = batches(out.Frontier[:min(len(out.Frontier), maxBatched)])
		if out.Blocked, err = sc.blocked(); err != nil {
			return out, err
		}
		held, err := sc.Tx.Tasks.HeldFirst(p.Slug, sc.Limit)
		if err != nil {
			return out, err
		}
		for _, h := range held {
			out.Leases = append(out.Leases, leaseOf(h))
		}
		out.History, err = sc.Tx.Log.Events(query.Events{Project: p.Slug, Limit: history})
		return out, err
	})
}

// batches fills batches greedily, in the order of selection: a task goes into the first batch that it does not
// overlap. A task that declares no touches goes into the first.
func batches(ready []*task.Task) []Batch {
	var out []Batch
	var members [][]*task.Task
	put := func(i int, t *task.Task) {
		if i == len(out) {
			out, members = append(out, Batch{}), append(members, nil)
		}
		out[i].Tasks = append(out[i].Tasks, t.ID)
		members[i] = append(members[i], t)
	}
	for _, t := range ready {
		if len(t.Touches) == 0 {
			put(0, t)
			out[0].Undeclared = append(out[0].Undeclared, t.ID)
			continue
		}
		at := 0
		for ; at < len(out); at++ {
			clash := overlapping(t, members[at])
			if clash == nil {
				break
			}
			out[at].Apart = append(out[at].Apart, *clash)
		}
		put(at, t)
	}
	return out
}

func overlapping(t *task.Task, members []*task.Task) *Apart {
	for _, m := range members {
		if why, ok := glob.Overlap(m.Touches, t.Touches); ok {
			return &Apart{A: m.ID, B: t.ID, Why: why}
		}
	}
	return nil
}

func (s scene) blocked() ([]Blocked, error) {
	waiting, err := s.Lane(query.LaneWaiting, s.Limit)
	if err != nil {
		return nil, err
	}
	c := chains{scene: s, open: map[task.ID][]*task.Task{}, ends: map[task.ID]*ActOn{}}
	var out []Blocked
	for _, t := range waiting {
		b := Blocked{Task: t.ID, Title: t.Title}
		open, err := c.waitsFor(t)
		if err != nil {
			return nil, err
		}
		for _, d := range open {
			b.WaitsFor = append(b.WaitsFor, d.ID)
		}
		if b.ActOn, err = c.actOn(t); err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// chains follows what tasks wait for, and caches what it finds.
type chains struct {
	scene
	open map[task.ID][]*task.Task
	ends map[task.ID]*ActOn
}

// maxOpen is how many of the tasks that one waits for are listed.
const maxOpen = 50

// waitsFor returns the open tasks that a task waits for: its open dependencies, then its parts.
func (c chains) waitsFor(t *task.Task) ([]*task.Task, error) {
	if open, ok := c.open[t.ID]; ok {
		return open, nil
	}
	open, err := c.Tx.Graph.Awaited(t, maxOpen)
	c.open[t.ID] = open
	return open, err
}

// actOn follows the chain of what a task waits for to the first that somebody can act on, which does not wait itself.
// It returns nil if there is none within the limit.
func (c chains) actOn(t *task.Task) (*ActOn, error) {
	seen := map[task.ID]bool{}
	var found *ActOn
	for at := t; len(seen) < maxChain && !seen[at.ID]; {
		if end, ok := c.ends[at.ID]; ok {
			found = end
			break
		}
		seen[at.ID] = true
		open, err := c.waitsFor(at)
		if err != nil {
			return nil, err
		}
		if len(open) == 0 {
			break
		}
		at = open[0]
		for _, o := range open {
			if o.OpenDeps == 0 && o.Parts == 0 {
				at = o
				break
			}
		}
		if (at.OpenDeps == 0 && at.Parts == 0) || at.Status != task.Open {
			found = &ActOn{Task: at.ID, Title: at.Title, Status: at.Status}
			if at.Claim != nil {
				found.Holder = task.Opt(at.Claim.Actor)
			}
			break
		}
	}
	if found != nil { // what lies on the way ends there, too
		for id := range seen {
			c.ends[id] = found
		}
	}
	return found, nil
}
