package reading

import (
	"cmp"
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// BottlenecksOut lists the tasks that hold up the most, worst first. Total counts the open tasks that have dependents.
type BottlenecksOut struct {
	Project string       `json:"project"`
	Total   int          `json:"total"`
	Items   []Bottleneck `json:"items"`
	// AsOf is when they were counted, if tasks or dependencies have changed since: for a large project the count may be
	// half a minute old. It is null if the count is up to date.
	AsOf task.Time `json:"asOf"`
	// Estimated says that the project is too large to count everything that waits: Transitive is then an estimate.
	Estimated bool `json:"estimated"`
}

// Bottleneck is an open task, with how many open tasks wait for it.
type Bottleneck struct {
	Task       task.ID     `json:"task"`
	Title      string      `json:"title"`
	Status     task.Status `json:"status"`
	State      string      `json:"state"` // its state
	Direct     int         `json:"direct"`
	Transitive int         `json:"transitive"` // including direct ones
	Depth      int         `json:"depth"`      // the longest chain behind it
	Holder     task.Opt    `json:"holder"`
}

// pressure is how much depends on each open task of a project, worst first, at one version of the flow.
type pressure struct {
	version   int64
	at        task.Time // when the snapshot that it was counted from was taken
	ids       []task.ID
	loads     []graph.Load
	behind    map[task.ID]int // of each of them: how many open tasks wait for it, directly or not
	estimated bool
}

// Limits of counting bottlenecks.
const (
	// manyOpen is how many open tasks a project may have for its bottlenecks to be always up to date; with more, they may
	// be as old as bottlenecksAge.
	manyOpen       = 50_000
	bottlenecksAge = 30_000 // milliseconds
	// loadSteps limits a count to some seconds. Past it, the numbers of transitive dependents are estimates.
	loadSteps = 1 << 32
	// anew limits how often they are counted again because the flow changed during the count.
	anew = 3
)

// Bottlenecks returns the open tasks that hold up the most. The dependencies are read in one snapshot, and counted after
// it has ended, once for all concurrent requests: a large project takes seconds, and the log of a database cannot be
// truncated while a snapshot lasts.
func (s *Service) Bottlenecks(ctx context.Context, in ProjectIn) (BottlenecksOut, error) {
	return pressed(ctx, s, in, scene.bottlenecks)
}

// Behind returns how many open tasks wait, directly or not, for each open task of a project. Tasks that nothing waits for
// are left out. Others read the same map.
func (s *Service) Behind(ctx context.Context, in core.ProjectIn) (map[task.ID]int, error) {
	return pressed(ctx, s, ProjectIn{Slug: in.Slug}, func(_ scene, p *pressure) (map[task.ID]int, error) { return p.behind, nil })
}

// pressed answers from a count that is recent enough.
func pressed[T any](ctx context.Context, s *Service, in ProjectIn, answer func(scene, *pressure) (T, error)) (T, error) {
	for tries := 0; ; tries++ {
		var want flow
		found := false
		out, err := within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (none T, err error) {
			want = flowOf(sc)
			p := s.pressures.stored(want)
			if found = p != nil && (p.serves(want) || tries >= anew); !found {
				return none, nil
			}
			return answer(sc, p)
		})
		if err != nil || found {
			return out, err
		}
		if err := s.pressures.count(ctx, want, func() (*pressure, error) { return s.weighed(ctx, in) }); err != nil {
			return out, err
		}
	}
}

// bottlenecks lists the worst. Tasks that were closed since the count are left out.
func (s scene) bottlenecks(p *pressure) (BottlenecksOut, error) {
	out := BottlenecksOut{Project: s.Project.Slug, Total: len(p.ids), Estimated: p.estimated}
	if p.version != s.Project.FlowVersion {
		out.AsOf = p.at
	}
	tasks, err := s.View.TasksByID(p.ids[:min(len(p.ids), s.Limit)])
	if err != nil {
		return out, err
	}
	at := make(map[task.ID]graph.Load, len(tasks))
	for i, id := range p.ids[:min(len(p.ids), s.Limit)] {
		at[id] = p.loads[i]
	}
	for _, t := range tasks {
		if t.Status.Closed() {
			continue
		}
		load := at[t.ID]
		out.Items = append(out.Items, Bottleneck{
			Task: t.ID, Title: t.Title, Status: t.Status, State: task.States[t.State()], Holder: t.Holder(),
			Direct: load.Direct, Transitive: load.Transitive, Depth: load.Depth,
		})
	}
	return out, nil
}

// weighed reads the dependencies, and counts after the snapshot.
func (s *Service) weighed(ctx context.Context, in ProjectIn) (*pressure, error) {
	var ids []task.ID
	var edges []query.Edge
	of, err := within(ctx, s.Env, in.Slug, nil, func(sc scene) (flow, error) {
		open, deps, parts, err := sc.View.Flow(sc.Project.Slug)
		ids, edges = open, append(deps, parts...)
		return flowOf(sc), err
	})
	if err != nil {
		return nil, err
	}
	p := weigh(ctx, ids, edges, loadSteps)
	if p == nil {
		return nil, ended(ctx)
	}
	p.version, p.at = of.version, of.now
	return p, nil
}

// weigh counts what depends on each task, and sorts the tasks that have dependents. If counting takes more than the given
// number of steps, transitive numbers are estimates. It returns nil if ctx has ended.
func weigh(ctx context.Context, ids []task.ID, edges []query.Edge, steps int) *pressure {
	at := make(map[task.ID]int32, len(ids))
	for i, id := range ids {
		at[id] = int32(i)
	}
	behind := make([]graph.Edge, len(edges))
	for i, e := range edges {
		behind[i] = graph.Edge{From: at[e.To], To: at[e.From]} // from a task to its dependent
	}
	loads, exact := graph.Loads(len(ids), behind, steps, func() bool { return ctx.Err() == nil })
	if ctx.Err() != nil {
		return nil
	}
	order := make([]int, 0, len(ids))
	for i, l := range loads {
		if l.Direct > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(loads[b].Transitive, loads[a].Transitive), cmp.Compare(loads[b].Direct, loads[a].Direct),
			cmp.Compare(loads[b].Depth, loads[a].Depth), cmp.Compare(a, b))
	})
	p := &pressure{estimated: !exact, behind: make(map[task.ID]int, len(order))}
	for _, i := range order {
		p.ids = append(p.ids, ids[i])
		p.loads = append(p.loads, loads[i])
		p.behind[ids[i]] = loads[i].Transitive
	}
	return p
}
