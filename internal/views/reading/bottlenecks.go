package reading

import (
	"context"

	"tasker/internal/core"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/views/reading/pressure"
)

// BottlenecksOut lists the tasks that hold up the most, worst first. Total counts the open tasks that have dependents.
type BottlenecksOut struct {
	Project string       `json:"project"`
	Total   int          `json:"total"`
	Items   []Bottleneck `json:"items"`
	// AsOf is when they were counted, if tasks or dependencies have changed since: for a large project the count may be
	// half a minute old. It is null if the count is up to date.
	AsOf task.Time `json:"asOf"`
	// Estimated says that the project is too large to compare all tasks: which of them hold up the most was estimated, so one
	// that holds up nearly as much may be missing. What the listed ones hold up is counted.
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

// maxRecounts limits how often they are counted again because the flow changed during the count.
const maxRecounts = 3

// Bottlenecks returns the open tasks that hold up the most. The dependencies are read in one snapshot, and counted after
// it has ended, once for all concurrent requests: a large project takes seconds, and the log of a database cannot be
// truncated while a snapshot lasts.
func (s *Service) Bottlenecks(ctx context.Context, in ProjectIn) (BottlenecksOut, error) {
	return pressed(ctx, s, in, scene.bottlenecks)
}

// BehindIn names tasks of a project.
type BehindIn struct {
	Slug  string
	Tasks []task.ID
}

// Behind returns how many open tasks wait, directly or not, for each of some tasks of a project. Tasks that nothing waits
// for are left out.
func (s *Service) Behind(ctx context.Context, in BehindIn) (map[task.ID]int, error) {
	count, err := pressed(ctx, s, ProjectIn{Slug: in.Slug}, func(_ scene, p *pressure.Count) (*pressure.Count, error) { return p, nil })
	if err != nil {
		return nil, err
	}
	out := count.Behind(ctx, in.Tasks)
	if out == nil {
		return nil, uncounted(ctx)
	}
	return out, nil
}

// pressed answers from a count that is recent enough.
func pressed[T any](ctx context.Context, s *Service, in ProjectIn, answer func(scene, *pressure.Count) (T, error)) (T, error) {
	for tries := 0; ; tries++ {
		var key core.ProjectKey
		var want pressure.Flow
		found := false
		out, err := within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (none T, err error) {
			key, want = sc.Key(), flowOf(sc)
			p, stored := s.caches.pressures.Get(key)
			if found = stored && (p.Serves(want) || tries >= maxRecounts); !found {
				return none, nil
			}
			return answer(sc, p)
		})
		if err != nil || found {
			return out, err
		}
		fresh := func(p *pressure.Count) bool { return p.Serves(want) }
		// It ends with the request: then the next that waits for it counts.
		count := func(context.Context) (*pressure.Count, error) { return s.weighed(ctx, in) }
		if _, err := s.caches.pressures.Of(ctx, key, struct{}{}, fresh, count); err != nil {
			return out, err
		}
	}
}

func flowOf(sc scene) pressure.Flow {
	return pressure.Flow{Version: sc.Project.FlowVersion, Now: sc.View.Now(), Open: sc.Project.Tasks.Left()}
}

// bottlenecks lists the worst. Tasks that were closed since the count are left out.
func (s scene) bottlenecks(p *pressure.Count) (BottlenecksOut, error) {
	out := BottlenecksOut{Project: s.Project.Slug, Total: p.Total(), Estimated: p.Estimated}
	if p.Version != s.Project.FlowVersion {
		out.AsOf = p.At
	}
	worst, loads := p.Worst(s.Limit)
	tasks, err := s.View.TasksByID(worst)
	known := task.ByID(tasks)
	for i, id := range worst {
		if t := known[id]; t != nil && !t.Status.Closed() {
			load := loads[i]
			out.Items = append(out.Items, Bottleneck{
				Task: t.ID, Title: t.Title, Status: t.Status, State: task.States[t.State()], Holder: t.Holder(),
				Direct: load.Direct, Transitive: load.Transitive, Depth: load.Depth,
			})
		}
	}
	return out, err
}

// weighed reads the dependencies, and counts after the snapshot.
func (s *Service) weighed(ctx context.Context, in ProjectIn) (*pressure.Count, error) {
	var flow query.Flow
	of, err := within(ctx, s.Env, in.Slug, nil, func(sc scene) (_ pressure.Flow, err error) {
		flow, err = sc.View.Flow(sc.Project.Slug)
		return flowOf(sc), err
	})
	if err != nil {
		return nil, err
	}
	p := pressure.Weigh(ctx, flow)
	if p == nil {
		return nil, uncounted(ctx)
	}
	p.Version, p.At = of.Version, of.Now
	return p, nil
}
