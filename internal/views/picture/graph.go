package picture

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/core/cache"
	"tasker/internal/fault"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// GraphIn asks for the dependencies around a task.
type GraphIn struct {
	Task       string `path:"id"`
	Upstream   *int   `query:"upstream"`
	Downstream *int   `query:"downstream"`
	At         *int64 `query:"at" about:"as it was after this event"`
}

// GraphOut is a task, what it waits for (upstream) and what waits for it (downstream), with the depths used.
type GraphOut struct {
	Task       task.ID      `json:"task"`
	Upstream   int          `json:"upstream"`
	Downstream int          `json:"downstream"`
	Nodes      []GraphNode  `json:"nodes"`
	Edges      []query.Edge `json:"edges"`
	At         *asof.Was    `json:"at"` // the requested moment; null: now
}

// GraphNode is one task of the graph. Truncated says that it has further neighbours that are not shown: upstream, tasks
// that it waits for; downstream, tasks that wait for it.
type GraphNode struct {
	ID        task.ID     `json:"id"`
	Title     string      `json:"title"`
	Status    task.Status `json:"status"`
	State     string      `json:"state"`
	Holder    task.Opt    `json:"holder"`
	Depth     int         `json:"depth"` // negative upstream, positive downstream
	Truncated bool        `json:"truncated"`
	Due       task.Opt    `json:"due"`
}

// Limits of a graph.
const (
	defaultDepth = 3
	maxDepth     = 8
	maxNodes     = 5000
	focusNodes   = 2000         // of a drawing
	pageEdges    = 2 * maxNodes // of one read
	maxEdges     = 100_000      // read per direction; a node that may have more is truncated
)

func depth(name string, asked *int) (int, error) {
	if asked == nil {
		return defaultDepth, nil
	}
	if *asked < 0 {
		return 0, fault.Bad("%s is %d", name, *asked).WithMissing(fault.Parameter(name)).
			WithHint("a whole number from 0 up, cut to %d if it is larger", maxDepth)
	}
	return min(*asked, maxDepth), nil
}

// Graph returns the dependency graph around a task, nearest first. Nothing past the depth or the limit is dropped
// silently: a node whose neighbour is left out is marked as truncated.
func (s *Service) Graph(ctx context.Context, in GraphIn) (GraphOut, error) {
	up, err := depth("upstream", in.Upstream)
	if err != nil {
		return GraphOut{}, err
	}
	down, err := depth("downstream", in.Downstream)
	if err != nil {
		return GraphOut{}, err
	}
	var at cache.Moment
	root, err := core.Read(ctx, s.Env, func(tx *store.Tx) (*task.Task, error) {
		at = momentOf(tx)
		return core.Find(ctx, tx, in.Task)
	})
	if err != nil {
		return GraphOut{}, err
	}
	key := fmt.Sprintf("%s %d %d %s %q", root.ID, up, down, eventOf(in.At), core.CallerOf(ctx).Scope.Projects)
	out, err := sharedAt(ctx, s.graphs, key, at, func(ctx context.Context) (GraphOut, cache.Moment, error) {
		return s.graph(ctx, root.ID, up, down, in.At)
	})
	out.Nodes, out.Edges = slices.Clone(out.Nodes), slices.Clone(out.Edges) // the caller may shorten it
	return out, err
}

// graph is Graph on a snapshot of its own; it also returns the moment of that snapshot.
func (s *Service) graph(ctx context.Context, id task.ID, up, down int, at *int64) (GraphOut, cache.Moment, error) {
	var of cache.Moment
	out, err := core.Read(ctx, s.Env, func(tx *store.Tx) (GraphOut, error) {
		root, err := tx.Task(id)
		if err != nil {
			return GraphOut{}, err
		}
		if of, err = untilOf(tx, root.Project); err != nil {
			return GraphOut{}, err
		}
		p, err := tx.Project(root.Project)
		if err != nil {
			return GraphOut{}, err
		}
		return asof.Back(s.Env, core.Scene{Tx: tx, View: tx, Project: p}, at, func(sc core.Scene, was *asof.Was) (GraphOut, error) {
			root, err := sc.View.Task(root.ID)
			if err != nil {
				return GraphOut{}, err
			}
			out, err := graphAround(sc.View, root.ID, up, down, maxNodes)
			out.At = was
			return out, err
		})
	})
	return out, of, err
}

// graphAround returns the graph around a task, with at most limit nodes.
func graphAround(tx store.View, root task.ID, up, down, limit int) (GraphOut, error) {
	g := around{
		tx: tx, limit: limit, depth: map[task.ID]int{root: 0}, cut: map[task.ID]bool{},
		ways: [2]*way{
			{sign: -1, depth: up, level: []task.ID{root}, read: tx.EdgesFrom},
			{sign: 1, depth: down, level: []task.ID{root}, read: tx.EdgesTo},
		},
	}
	out := GraphOut{Task: root, Upstream: up, Downstream: down}
	if err := g.walk(); err != nil {
		return out, err
	}
	if err := g.across(); err != nil {
		return out, err
	}
	return out, g.render(&out)
}

// around is the graph as it grows from its root.
type around struct {
	tx    store.View
	limit int             // of nodes
	depth map[task.ID]int // of each shown node
	cut   map[task.ID]bool
	ways  [2]*way
}

// way is one direction of the walk.
type way struct {
	sign  int
	depth int
	level []task.ID // the nodes found last, by number
	edges []query.Edge
	read  func([]task.ID, int) ([]query.Edge, error)
}

// ends returns the end of an edge that the walk comes from, and the end it leads to.
func (w *way) ends(e query.Edge) (near, far task.ID) {
	if w.sign > 0 {
		return e.To, e.From
	}
	return e.From, e.To
}

// walk goes level by level in both directions at once, so that the nearest tasks are found first. It looks one level past
// the depth, to know what is cut.
func (g *around) walk() error {
	for d := 1; d <= maxDepth+1; d++ {
		var found [2][]task.ID
		for i, w := range g.ways {
			edges, err := g.further(w)
			if err != nil {
				return err
			}
			w.edges = append(w.edges, edges...)
			w.level = nil
			if d > w.depth {
				continue
			}
			for _, e := range edges {
				_, far := w.ends(e)
				found[i] = append(found[i], far)
			}
		}
		// Take turns, so that neither direction uses up the limit.
		for i := range max(len(found[0]), len(found[1])) {
			for j, w := range g.ways {
				if i < len(found[j]) && len(g.depth) < g.limit {
					g.admit(w, found[j][i], d)
				}
			}
		}
		for _, w := range g.ways {
			slices.SortFunc(w.level, task.CompareIDs)
		}
	}
	return nil
}

// admit shows a node, unless it is shown already.
func (g *around) admit(w *way, id task.ID, d int) {
	if _, known := g.depth[id]; !known {
		g.depth[id] = d * w.sign
		w.level = append(w.level, id)
	}
}

// further reads the edges that lead on from a level, page by page. A node with more edges than the limit of nodes is
// truncated in any case, and so is each node whose edges the limit of edges leaves unread.
func (g *around) further(w *way) (out []query.Edge, err error) {
	for left := w.level; len(left) > 0; {
		if len(w.edges)+len(out) >= maxEdges {
			for _, id := range left {
				g.cut[id] = true
			}
			return out, nil
		}
		limit := pageEdges
		if len(left) == 1 {
			limit = maxNodes // enough to know that some are left out
		}
		page, err := w.read(left, limit)
		if err != nil || len(page) < limit {
			return append(out, page...), err
		}
		last, _ := w.ends(page[len(page)-1])                                                                   // it may have more
		begin := slices.IndexFunc(page, func(e query.Edge) bool { near, _ := w.ends(e); return near == last }) // its edges are consecutive
		left = left[slices.Index(left, last):]
		if len(page)-begin >= maxNodes {
			g.cut[last] = true
			left = left[1:]
		} else {
			page = page[:begin] // it is read again, from its first edge on
		}
		out = append(out, page...)
	}
	return out, nil
}

// across adds the edges that bypass the root: a task that waits for the root may also wait for its dependencies.
func (g *around) across() error {
	w := &way{sign: -1, read: g.tx.EdgesFrom}
	above := false
	for id, d := range g.depth {
		if d > 0 {
			w.level = append(w.level, id)
		}
		above = above || d < 0
	}
	if !above {
		return nil
	}
	slices.SortFunc(w.level, task.CompareIDs)
	aside := around{cut: map[task.ID]bool{}} // whatever else they wait for is not part of this graph
	edges, err := aside.further(w)
	for _, e := range edges {
		if g.depth[e.To] < 0 {
			g.ways[0].edges = append(g.ways[0].edges, e)
		}
	}
	return err
}

// render adds the nodes, and the edges between any two of them.
func (g *around) render(out *GraphOut) error {
	for _, w := range g.ways {
		for _, e := range w.edges {
			near, far := w.ends(e)
			if _, shown := g.depth[far]; shown {
				out.Edges = append(out.Edges, e)
			} else {
				g.cut[near] = true
			}
		}
	}
	tasks, err := g.tx.TasksByID(slices.SortedFunc(maps.Keys(g.depth), func(a, b task.ID) int {
		return cmp.Or(g.depth[a]-g.depth[b], task.CompareIDs(a, b))
	}))
	if err != nil {
		return err
	}
	for _, t := range tasks {
		out.Nodes = append(out.Nodes, GraphNode{
			ID: t.ID, Title: t.Title, Status: t.Status, State: task.States[t.State()], Holder: t.Holder(), Due: t.Due, Depth: g.depth[t.ID],
			Truncated: g.cut[t.ID],
		})
	}
	slices.SortFunc(out.Edges, func(a, b query.Edge) int {
		return cmp.Or(task.CompareIDs(a.From, b.From), task.CompareIDs(a.To, b.To))
	})
	return nil
}
