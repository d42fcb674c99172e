package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/glob"
	"tasker/internal/hint"
	"tasker/internal/landing"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// WorkIn names a project, and limits how many records each list of its work has.
type WorkIn struct {
	Slug  string `path:"slug"`
	Limit *int   `query:"limit" about:"how many of each list at most; unless given all of up to 1000, and of up to 4 MiB"`
}

// WorkOut says what can be worked on, how much of it in parallel, and what waits for what.
type WorkOut struct {
	Project  string       `json:"project"`
	Frontier []*task.Task `json:"frontier"`
	Batches  []Batch      `json:"batches"`
	// NotCompared lists ready tasks that are in no batch, because checking whether their touches overlap would take too
	// long.
	NotCompared []task.ID        `json:"notCompared"`
	Blocked     []Blocked        `json:"blocked"`
	Asked       []Asked          `json:"asked"`
	Leases      []Lease          `json:"leases"`
	Unheld      []Unheld         `json:"unheld"`
	History     []task.Event     `json:"history"`
	ForPeople   []task.ID        `json:"forPeople"` // those of the frontier that only humans may hold
	Totals      WorkTotals       `json:"totals"`
	Unlanded    landing.Unlanded `json:"unlanded"` // done, and not on the base
	// Runners are those of commands; one is listed for a moment after its end.
	Runners []task.Runner `json:"runners"`
	// Advice says how to begin if the project has no task at all, and is null otherwise.
	Advice hint.Advice `json:"advice"`
}

// WorkTotals counts the tasks in each state that the lists show, listed or not.
type WorkTotals struct {
	Ready   int `json:"ready"`
	Blocked int `json:"blocked"`
	Asked   int `json:"asked"`
	Held    int `json:"held"`
	Unheld  int `json:"unheld"`
}

// Asked is a task that is held back only by open blocking questions, with the first of them.
type Asked struct {
	Task     task.ID        `json:"task"`
	Title    string         `json:"title"`
	Question *task.Question `json:"question"`
}

// Unheld is a task in progress that nobody holds.
type Unheld struct {
	Task  task.ID   `json:"task"`
	Title string    `json:"title"`
	Since task.Time `json:"since"` // its newest change
}

// Batch is a set of ready tasks that can be worked on in parallel: no path can be touched by two of them. Undeclared
// tasks do not say what they touch, and can run next to anything. Apart says why others have to wait.
type Batch struct {
	Tasks      []task.ID `json:"tasks"`
	Undeclared []task.ID `json:"undeclared"`
	Apart      []Apart   `json:"apart"`
}

// Apart is a pair of tasks that cannot run in parallel.
type Apart struct {
	A   task.ID `json:"a"`
	B   task.ID `json:"b"`
	Why string  `json:"why"`
}

// Blocked is a waiting task: the open tasks that it waits for, and the root of its longest chain, on which somebody can act.
type Blocked struct {
	Task     task.ID     `json:"task"`
	Title    string      `json:"title"`
	WaitsFor []task.ID   `json:"waitsFor"`
	ActOn    *task.Cause `json:"actOn"`
}

// Limits of parts of a work answer; the other parts follow the request's limit.
const (
	maxBatched = 200 // ready tasks that are put into batches
	history    = 20
)

// Work returns the frontier with its parallel batches, what is blocked and by what, who holds what, and what happened.
func (s *Service) Work(ctx context.Context, in WorkIn) (WorkOut, error) {
	return within(ctx, s.Env, in.Slug, core.Whole(in.Limit), func(sc scene) (WorkOut, error) {
		p, n := sc.Project, sc.Project.States()
		out := WorkOut{Project: p.Slug, Totals: WorkTotals{
			Ready: n[task.StateReady], Blocked: n[task.StateWaiting], Asked: n[task.StateAsked], Held: n[task.StateHeld], Unheld: n[task.StateUnheld],
		}, Advice: p.Begin(sc.Actor)}
		var err error
		if out.Frontier, err = sc.Filled(query.LaneReady, sc.Limit); err != nil {
			return out, err
		}
		out.ForPeople = readyForPeople(sc.Policy, out.Frontier)
		out.Batches, out.NotCompared = batches(ctx, out.Frontier[:min(len(out.Frontier), maxBatched)])
		if out.Blocked, err = s.blocked(sc); err != nil {
			return out, err
		}
		if out.Asked, err = sc.asked(); err != nil {
			return out, err
		}
		unheld, err := sc.Lane(query.LaneUnheld, sc.Limit)
		if err != nil {
			return out, err
		}
		for _, t := range unheld {
			out.Unheld = append(out.Unheld, Unheld{Task: t.ID, Title: t.Title, Since: t.UpdatedAt})
		}
		if out.Leases, err = sc.leases(); err != nil {
			return out, err
		}
		if out.Unlanded, err = landing.Count(sc.Scene); err != nil {
			return out, err
		}
		if out.Runners, err = sc.Tx.Runners(p.Slug); err != nil {
			return out, err
		}
		out.History, err = sc.View.Events(query.Events{Project: p.Slug, Limit: history, Bytes: core.PageBytes})
		return out, err
	})
}

// batches fills batches greedily, in the order of selection: a task goes into the first batch where nothing overlaps it.
// A task that declares no touches goes into the first batch. left lists the tasks that could not be compared within the
// budget.
func batches(ctx context.Context, ready []*task.Task) (out []Batch, left []task.ID) {
	b := batching{budget: glob.NewBudget(core.CompareSteps)}
	for _, t := range ready {
		if len(t.Touches) == 0 {
			b.put(0, member{t, nil})
			b.out[0].Undeclared = append(b.out[0].Undeclared, t.ID)
			continue
		}
		m := member{t, glob.New(t.Touches)}
		at := 0
		for ; at < len(b.out); at++ {
			clash := b.clash(ctx, m, at)
			if clash == nil {
				break
			}
			b.out[at].Apart = append(b.out[at].Apart, *clash)
		}
		if b.budget.Spent() {
			left = append(left, t.ID)
			continue
		}
		b.put(at, m)
	}
	return b.out, left
}

// batching is the batches being filled, with what their members touch.
type batching struct {
	budget  *glob.Budget
	out     []Batch
	members [][]member
}

type member struct {
	*task.Task
	touches *glob.Set // nil: none declared
}

func (b *batching) put(at int, m member) {
	if at == len(b.out) {
		b.out, b.members = append(b.out, Batch{}), append(b.members, nil)
	}
	b.out[at].Tasks = append(b.out[at].Tasks, m.ID)
	b.members[at] = append(b.members[at], m)
}

// clash returns the first member of a batch that a task overlaps, or nil.
func (b *batching) clash(ctx context.Context, m member, at int) *Apart {
	for _, o := range b.members[at] {
		if o.touches == nil {
			continue
		}
		if why, ok := b.budget.Overlap(ctx, o.touches, m.touches); ok {
			return &Apart{A: o.ID, B: m.ID, Why: why}
		}
	}
	return nil
}

// asked lists the tasks that are held back only by blocking questions.
func (s scene) asked() ([]Asked, error) {
	tasks, err := s.Lane(query.LaneAsked, s.Limit)
	if err != nil {
		return nil, err
	}
	var out []Asked
	taken := query.Page{Bytes: core.WholeBytes}.Taken()
	for _, t := range tasks {
		q, err := s.Tx.HoldingBack(t.ID)
		if err != nil {
			return nil, err
		}
		bytes := len(t.Title)
		if q != nil {
			bytes += len(q.Text)
		}
		if !taken.Add(bytes) {
			break
		}
		out = append(out, Asked{Task: t.ID, Title: t.Title, Question: q})
	}
	return out, nil
}

// maxOpen limits how many of the tasks that one waits for are listed.
const maxOpen = 50

// blocked lists the waiting tasks, each with what it waits for: its open dependencies, or else its parts.
func (s *Service) blocked(sc scene) ([]Blocked, error) {
	waiting, err := sc.Lane(query.LaneWaiting, sc.Limit)
	if err != nil {
		return nil, err
	}
	causes, err := s.causes(sc.Scene, waiting...)
	if err != nil {
		return nil, err
	}
	open, err := sc.Tx.AwaitedByEach(waiting, maxOpen)
	if err != nil {
		return nil, err
	}
	var out []Blocked
	for i, t := range waiting {
		out = append(out, Blocked{Task: t.ID, Title: t.Title, WaitsFor: open[t.ID], ActOn: causes[i]})
	}
	return out, nil
}
