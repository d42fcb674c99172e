package picture

import (
	"context"
	"slices"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// GraphIn asks for the dependencies around a task.
type GraphIn struct {
	Task       string `path:"id"`
	Upstream   *int   `query:"upstream"`
	Downstream *int   `query:"downstream"`
}

// GraphOut is a task, what it depends on (upstream) and what depends on it (downstream), with the depths used.
type GraphOut struct {
	Task       task.ID      `json:"task"`
	Upstream   int          `json:"upstream"`
	Downstream int          `json:"downstream"`
	Nodes      []GraphNode  `json:"nodes"`
	Edges      []query.Edge `json:"edges"`
}

// GraphNode is one task of the graph. Truncated says that it has further neighbours that are not shown.
type GraphNode struct {
	ID        task.ID     `json:"id"`
	Title     string      `json:"title"`
	Status    task.Status `json:"status"`
	Depth     int         `json:"depth"` // negative upstream, positive downstream
	Truncated bool        `json:"truncated"`
}

const (
	defaultDepth = 3
	maxDepth     = 8
	maxNodes     = 1000 // in each direction
)

func depth(name string, asked *int) (int, error) {
	if asked == nil {
		return defaultDepth, nil
	}
	if *asked < 0 {
		return 0, fault.Bad("%s is %d", name, *asked).WithHint("a whole number from 0 up; more than %d is cut at that", maxDepth)
	}
	return min(*asked, maxDepth), nil
}

// Graph returns the dependency graph around a task. Where the depth or the limit cuts it, the last node shown is
// marked as truncated.
func (s *Service) Graph(ctx context.Context, in GraphIn) (GraphOut, error) {
	up, err := depth("upstream", in.Upstream)
	if err != nil {
		return GraphOut{}, err
	}
	down, err := depth("downstream", in.Downstream)
	if err != nil {
		return GraphOut{}, err
	}
	return core.Read(ctx, s.Env, func(tx *core.ReadTx) (GraphOut, error) {
		root, err := core.Find(ctx, tx, in.Task)
		if err != nil {
			return GraphOut{}, err
		}
		g := around{tx: tx, depth: map[task.ID]int{root.ID: 0}, cut: map[task.ID]bool{}, edge: map[query.Edge]bool{}}
		if err := g.walk(root.ID, up, -1, tx.Graph.EdgesFrom); err != nil {
			return GraphOut{}, err
		}
		if err := g.walk(root.ID, down, 1, tx.Graph.EdgesTo); err != nil {
			return GraphOut{}, err
		}
		out := GraphOut{Task: root.ID, Upstream: up, Downstream: down}
		return out, g.render(&out)
	})
}

type around struct {
	tx    *core.ReadTx
	depth map[task.ID]int
	cut   map[task.ID]bool
	edge  map[query.Edge]bool
}

// walk goes level by level in one direction, and one level past the depth, to see what is cut.
func (g *around) walk(root task.ID, depth, sign int, edges func([]task.ID, int) ([]query.Edge, error)) error {
	level, seen := []task.ID{root}, 0
	for d := 1; len(level) > 0; d++ {
		found, err := edges(level, maxNodes*2)
		if err != nil {
			return err
		}
		var next []task.ID
		for _, e := range found {
			near, far := e.From, e.To
			if sign > 0 {
				near, far = e.To, e.From
			}
			if _, known := g.depth[far]; !known {
				if d > depth || seen >= maxNodes {
					g.cut[near] = true
					continue
				}
				g.depth[far] = d * sign
				next = append(next, far)
				seen++
			}
			g.edge[e] = true
		}
		if d > depth {
			return nil
		}
		level = next
	}
	return nil
}

func (g *around) render(out *GraphOut) error {
	ids := make([]task.ID, 0, len(g.depth))
	for id := range g.depth {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b task.ID) int {
		if g.depth[a] != g.depth[b] {
			return g.depth[a] - g.depth[b]
		}
		return task.CompareIDs(a, b)
	})
	tasks, err := g.tx.Tasks.ByID(ids)
	if err != nil {
		return err
	}
	for _, t := range tasks {
		out.Nodes = append(out.Nodes, GraphNode{ID: t.ID, Title: t.Title, Status: t.Status, Depth: g.depth[t.ID], Truncated: g.cut[t.ID]})
	}
	for e := range g.edge {
		out.Edges = append(out.Edges, e)
	}
	slices.SortFunc(out.Edges, func(a, b query.Edge) int {
		if c := task.CompareIDs(a.From, b.From); c != 0 {
			return c
		}
		return task.CompareIDs(a.To, b.To)
	})
	return nil
}
