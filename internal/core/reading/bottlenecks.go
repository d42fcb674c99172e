package reading

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"tasker/internal/graph"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// BottlenecksOut is the tasks that hold up the most, worst first. Total counts the open tasks that anything depends
// on.
type BottlenecksOut struct {
	Project string       `json:"project"`
	Total   int          `json:"total"`
	Items   []Bottleneck `json:"items"`
}

// Bottleneck is an open task by how many open tasks wait for it.
type Bottleneck struct {
	Task       task.ID     `json:"task"`
	Title      string      `json:"title"`
	Status     task.Status `json:"status"`
	Direct     int         `json:"direct"`
	Transitive int         `json:"transitive"` // direct ones included
	Depth      int         `json:"depth"`      // the longest chain behind it
	Holder     task.Opt    `json:"holder"`
}

// pressure is how much depends on each open task of a project, worst first. It is valid for the version of the flow
// that it was counted from, which is read in the same snapshot.
type pressure struct {
	version int64
	ids     []task.ID
	loads   []graph.Load
}

// pressures caches the last count of each project.
type pressures struct {
	mu   sync.Mutex
	kept map[string]*pressure
}

// maxPressures limits the cache.
const maxPressures = 16

// Bottlenecks returns the open tasks that hold the most up.
func (s *Service) Bottlenecks(ctx context.Context, in ProjectIn) (BottlenecksOut, error) {
	return within(ctx, s.Env, in.Slug, in.Limit, func(sc scene) (BottlenecksOut, error) {
		p, err := s.pressures.of(sc)
		if err != nil {
			return BottlenecksOut{}, err
		}
		out := BottlenecksOut{Project: sc.Project.Slug, Total: len(p.ids)}
		head := p.ids[:min(len(p.ids), sc.Limit)]
		tasks, err := sc.Tx.Tasks.ByID(head)
		if err != nil {
			return out, err
		}
		for i, t := range tasks {
			b := Bottleneck{
				Task: t.ID, Title: t.Title, Status: t.Status,
				Direct: p.loads[i].Direct, Transitive: p.loads[i].Transitive, Depth: p.loads[i].Depth,
			}
			if t.Claim != nil {
				b.Holder = task.Opt(t.Claim.Actor)
			}
			out.Items = append(out.Items, b)
		}
		return out, nil
	})
}

func (k *pressures) of(sc scene) (*pressure, error) {
	key := sc.Project.Slug
	k.mu.Lock()
	p := k.kept[key]
	k.mu.Unlock()
	if p != nil && p.version == sc.Project.FlowVersion {
		return p, nil
	}
	ids, deps, parts, err := sc.Tx.Graph.Flow(sc.Project.Slug)
	if err != nil {
		return nil, err
	}
	p = weigh(ids, append(deps, parts...))
	p.version = sc.Project.FlowVersion
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.kept) >= maxPressures {
		clear(k.kept)
	}
	k.kept[key] = p
	return p, nil
}

// weigh counts what depends on each task, and sorts the tasks that anything depends on.
func weigh(ids []task.ID, edges []query.Edge) *pressure {
	at := make(map[task.ID]int32, len(ids))
	for i, id := range ids {
		at[id] = int32(i)
	}
	behind := make([]graph.Edge, len(edges))
	for i, e := range edges {
		behind[i] = graph.Edge{From: at[e.To], To: at[e.From]} // from a task to its dependent
	}
	loads := graph.Loads(len(ids), behind)
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
	p := &pressure{}
	for _, i := range order {
		p.ids = append(p.ids, ids[i])
		p.loads = append(p.loads, loads[i])
	}
	return p
}
