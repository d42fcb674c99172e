package picture

import (
	"context"
	"fmt"
	"slices"

	"tasker/internal/asof"
	"tasker/internal/core"
	"tasker/internal/core/cache"
	"tasker/internal/fault"
	"tasker/internal/graph"
	"tasker/internal/graph/layout"
	"tasker/internal/task"
	"tasker/internal/task/query"
)

// NetworkIn asks for the picture of a project's graph: its front ("": tasks that are held, in review, ready or critical,
// and what comes next), every open task ("open"), or all tasks ("all"); or the tasks around one; or a way along edges
// between two.
type NetworkIn struct {
	Slug     string
	Show     string
	Focus    string
	From, To string // the ends of a way
	Up, Down *int
	Folded   []string // parents whose parts are drawn as one node; "none": no others are folded
	Opened   []string // parents that a large picture does not fold on its own
	At       *int64   // as it was after this event
}

// NetworkOut is the picture: nodes and edges with their positions. Total counts every task that could be shown.
type NetworkOut struct {
	Project string
	Show    string
	Focus   task.ID
	From    task.ID // the ends of the way that is shown
	To      task.ID
	NoWay   bool // there is no way between them
	Up      int
	Down    int
	Total   int
	Cut     bool // there are more tasks than the limit
	Map     bool // too large to show every task: parents are folded unless opened
	Nodes   []NetworkNode
	Edges   []NetworkEdge
	Groups  []NetworkGroup
	Inside  []int32 // of each node: its group, -1 for none
	Drawing *layout.Drawing
	At      *asof.Was // the requested moment; nil: now
}

// NetworkNode is a task of the picture, or a folded group. MoreBefore and MoreAfter count open neighbours that are not
// shown.
type NetworkNode struct {
	*task.Task
	State      string // its state, with held shown as in progress
	Critical   bool
	MoreBefore int
	MoreAfter  int
	Parts      int              // of a folded group: how many of the tasks that this picture shows it contains
	Unshown    int              // further open tasks of it, which this picture leaves out
	Closed     int              // further closed tasks of it, which this picture leaves out
	Behind     task.StateCounts // how many of its tasks are in each state
	Among      []task.ID        // its tasks
	own        *task.State      // of a folded group: the state of the task that it is named after, if the picture shows that
}

// NetworkEdge leads from a task to one that depends on it, as indexes into Nodes; or from a part to its parent.
type NetworkEdge struct {
	From, To int32
	Critical bool
	Part     bool
}

// NetworkGroup is a parent with shown parts.
type NetworkGroup struct {
	ID          task.ID
	Title       string
	Parent      int32
	query.Parts // all of its parts, shown or not
}

// Limits of a picture.
const (
	frontNodes = 180
	mostNodes  = 10_000 // read at most
	mapNodes   = 100    // a larger picture opens with its outermost parents folded
	drawnNodes = 360    // drawn at most
	drawnEdges = 700
)

// Network composes the picture of a project's graph.
func (s *Service) Network(ctx context.Context, in NetworkIn) (*NetworkOut, error) {
	if !slices.Contains([]string{"", "front", "open", "all"}, in.Show) {
		return nil, fault.Bad("show is %q", in.Show).WithHint("one of front, open, all")
	}
	up, err := depth("up", in.Up)
	if err != nil {
		return nil, err
	}
	down, err := depth("down", in.Down)
	if err != nil {
		return nil, err
	}
	type asked struct {
		key string
		at  cache.Moment
	}
	now, err := within(ctx, s.Env, in.Slug, nil, func(sc scene) (asked, error) {
		return asked{fmt.Sprintf("%s %q %q %q %q %d %d %q %q %s %s", sc.Project.Slug, in.Show, in.Focus, in.From, in.To, up, down, in.Folded, in.Opened,
			eventOf(in.At), asks(ctx, sc.Scene)), momentOf(sc.View)}, nil
	})
	if err != nil {
		return nil, err
	}
	return sharedAt(ctx, s.networks, now.key, now.at, func(ctx context.Context) (*NetworkOut, cache.Moment, error) {
		n, of, err := s.network(ctx, in, up, down)
		if err != nil {
			return nil, of, err
		}
		n.out.Inside, n.out.Drawing = n.inside, s.draw(n.sheet())
		return n.out, of, nil
	})
}

// network reads the tasks of a picture and decides which of them are drawn. It also returns the moment of its snapshot.
func (s *Service) network(ctx context.Context, in NetworkIn, up, down int) (n *network, of cache.Moment, err error) {
	n, err = core.Within(ctx, s.Env, in.Slug, nil, func(now core.Scene) (*network, error) {
		if of, err = untilOf(now.Tx, now.Project.Slug); err != nil {
			return nil, err
		}
		return asof.Back(s.Env, now, in.At, func(sc core.Scene, was *asof.Was) (*network, error) {
			return s.drawn(ctx, in, up, down, scene{sc}, was)
		})
	})
	return n, of, err
}

// drawn is network on a given snapshot.
func (s *Service) drawn(ctx context.Context, in NetworkIn, up, down int, sc scene, was *asof.Was) (n *network, err error) {
	n = &network{
		scene: sc, at: map[task.ID]int32{},
		out: &NetworkOut{Project: sc.Project.Slug, Show: in.Show, Up: up, Down: down, At: was},
	}
	if n.flow, err = s.flows.of(sc); err != nil {
		return nil, err
	}
	switch {
	case in.From != "" || in.To != "":
		err = n.between(ctx, in.From, in.To)
	case in.Focus != "":
		err = n.around(ctx, in.Focus, up, down)
	case in.Show == "all":
		err = n.whole()
	case in.Show == "open":
		err = n.open()
	default:
		n.out.Show = "front"
		err = n.front()
	}
	if err != nil {
		return nil, err
	}
	n.tieParts()
	if err := n.group(); err != nil {
		return nil, err
	}
	n.fold(n.folded(in))
	n.cut()
	n.trim()
	return n, nil
}

// network is a picture being built.
type network struct {
	scene
	flow   *flow
	out    *NetworkOut
	at     map[task.ID]int32
	inside []int32 // of each node: its group
	looked int     // tasks visited in search of a way
}

// take adds each of the tasks to the picture once.
func (n *network) take(ids []task.ID) error {
	var fresh []task.ID
	for _, id := range ids {
		if _, known := n.at[id]; known {
			continue
		}
		if len(n.at) >= mostNodes {
			n.out.Cut = true
			break
		}
		n.at[id] = int32(len(n.at))
		fresh = append(fresh, id)
	}
	for part := range slices.Chunk(fresh, readTasks) {
		tasks, err := n.View.TasksByID(part)
		if err != nil {
			return err
		}
		n.put(tasks)
	}
	return nil
}

// put adds tasks to the picture as they are drawn, without their longer texts.
func (n *network) put(tasks []*task.Task) {
	for _, t := range tasks {
		drawn := *t
		drawn.Body, drawn.Criteria, drawn.Links, drawn.Touches, drawn.MayExecute = "", nil, nil, nil, nil
		n.at[t.ID] = int32(len(n.out.Nodes))
		n.out.Nodes = append(n.out.Nodes, NetworkNode{Task: &drawn, State: StateOf(t), Critical: n.flow.critical[t.ID]})
	}
}

// StateOf returns the state of a task as pages show it: a held task is in progress.
func StateOf(t *task.Task) string {
	if s := t.State(); s != task.StateHeld {
		return task.States[s]
	}
	return string(task.InProgress)
}

// tie adds the edges among the shown tasks, and counts the neighbours that are not shown.
func (n *network) tie(edges []query.Edge) {
	for _, e := range edges {
		from, a := n.at[e.To]
		to, b := n.at[e.From]
		switch {
		case a && b:
			n.out.Edges = append(n.out.Edges, NetworkEdge{From: from, To: to, Critical: n.flow.step[e]})
		case a:
			n.out.Nodes[from].MoreAfter++
		case b:
			n.out.Nodes[to].MoreBefore++
		}
	}
}

// tieOpen is tie for the dependencies of all open tasks. It names only those that a shown task has.
func (n *network) tieOpen() {
	open, shown := &n.flow.open, make([]bool, len(n.flow.open.Numbers))
	for _, node := range n.out.Nodes {
		if v, is := open.Find(node.ID); is {
			shown[v] = true
		}
	}
	var edges []graph.Edge
	for _, e := range open.Deps {
		if shown[e.From] || shown[e.To] {
			edges = append(edges, e)
		}
	}
	n.tie(open.Named(edges))
}

// tieParts adds an edge from each part to its parent, if both are shown and no dependency already connects them.
func (n *network) tieParts() {
	tied := make(map[graph.Edge]bool, len(n.out.Edges))
	for _, e := range n.out.Edges {
		tied[graph.Edge{From: e.From, To: e.To}] = true
	}
	for i, node := range n.out.Nodes {
		to, shown := n.at[task.ID(node.Parent)]
		if !node.Part() || !shown || n.out.Nodes[to].Status.Closed() || tied[graph.Edge{From: int32(i), To: to}] {
			continue
		}
		n.out.Edges = append(n.out.Edges, NetworkEdge{
			From: int32(i), To: to, Part: true, Critical: n.flow.step[query.Edge{From: task.ID(node.Parent), To: node.ID}],
		})
	}
}

func (n *network) front() error {
	n.out.Total = len(n.flow.open.Numbers)
	for _, l := range []struct {
		lane  query.Lane
		limit int
	}{{query.LaneInProgress, 60}, {query.LaneInReview, 30}, {query.LaneReady, 60}} {
		tasks, err := n.Lane(l.lane, l.limit)
		if err != nil {
			return err
		}
		if err := n.take(task.IDsOf(tasks)); err != nil {
			return err
		}
	}
	if err := n.take(n.flow.path[:min(len(n.flow.path), 60)]); err != nil {
		return err
	}
	// Add what comes next, level by level, while there is room.
	for level := 0; level < len(n.out.Nodes) && len(n.out.Nodes) < frontNodes; level++ {
		next := n.flow.waiting(n.out.Nodes[level].ID)
		if err := n.take(next[:min(len(next), frontNodes-len(n.out.Nodes))]); err != nil {
			return err
		}
	}
	// Sort in the order in which they were planned, which is also the order of the groups.
	slices.SortFunc(n.out.Nodes, func(a, b NetworkNode) int { return task.CompareIDs(a.ID, b.ID) })
	for i, node := range n.out.Nodes {
		n.at[node.ID] = int32(i)
	}
	n.tieOpen()
	return nil
}

func (n *network) open() error {
	n.out.Total = len(n.flow.open.Numbers)
	err := n.take(n.flow.open.IDs())
	n.tieOpen()
	return err
}

func (n *network) whole() error {
	var ids []task.ID
	for cursor := ""; len(ids) < mostNodes; { // page by page: little of each task is drawn
		tasks, total, next, err := n.View.List(query.List{Project: n.Project.Slug, Limit: min(readTasks, mostNodes-len(ids)), Cursor: cursor})
		if err != nil {
			return err
		}
		n.put(tasks)
		ids = append(ids, task.IDsOf(tasks)...)
		n.out.Total = total.N
		if cursor = next; cursor == "" {
			break
		}
	}
	n.out.Cut = n.out.Total > len(ids)
	return n.tieAmong(ids)
}

// tieAmong adds the edges among tasks.
func (n *network) tieAmong(ids []task.ID) error {
	for part := range slices.Chunk(ids, 1000) {
		edges, err := n.View.Edges(part)
		if err != nil {
			return err
		}
		n.tie(edges)
	}
	return nil
}

func (n *network) around(ctx context.Context, focus string, up, down int) error {
	root, err := core.Find(ctx, n.View, focus)
	if err != nil {
		return err
	}
	if root.Project != n.Project.Slug {
		return fault.Missing("%s is not a task of %s", root.ID, n.Project.Slug).WithHint("see /p/%s/graph?focus=%s", root.Project, root.ID)
	}
	n.out.Focus, n.out.Total = root.ID, n.Project.Tasks.Total()
	found, err := graphAround(n.View, root.ID, up, down, focusNodes)
	if err != nil {
		return err
	}
	ids := make([]task.ID, len(found.Nodes))
	for i, node := range found.Nodes {
		ids[i] = node.ID
	}
	if err := n.take(ids); err != nil {
		return err
	}
	n.tie(found.Edges)
	for i, node := range found.Nodes {
		if node.Truncated && node.Depth <= 0 {
			n.out.Nodes[i].MoreBefore++
		}
		if node.Truncated && node.Depth >= 0 {
			n.out.Nodes[i].MoreAfter++
		}
	}
	return nil
}

// sheet returns the input of the layout.
func (n *network) sheet() layout.Sheet {
	s := layout.Sheet{Nodes: len(n.out.Nodes), Group: n.inside, When: make([]layout.When, len(n.out.Nodes)), Block: make([]bool, len(n.out.Nodes))}
	s.Rows = n.out.Focus == "" && n.out.From == "" // those are read along their edges
	for _, g := range n.out.Groups {
		s.Parent = append(s.Parent, g.Parent)
	}
	for i := range n.out.Nodes {
		s.When[i], s.Block[i] = n.out.Nodes[i].when(), n.out.Map && n.out.Nodes[i].Parts > 0
	}
	for _, e := range n.out.Edges {
		s.Edges = append(s.Edges, graph.Edge{From: e.From, To: e.To})
		s.Hidden = append(s.Hidden, n.out.Quiet(e))
		if !n.out.Nodes[e.From].over() && s.When[e.To] == layout.Begun { // it is held, and waits all the same
			s.When[e.To] = layout.Later
		}
	}
	return s
}

// Quiet reports whether an edge is drawn only for a reader who asks for it. The frame around a parent shows its parts,
// except where a way leads through them.
func (out *NetworkOut) Quiet(e NetworkEdge) bool { return e.Part && out.From == "" }

// Now reports whether a node is or could be worked on, or something in a folded group is.
func (n *NetworkNode) Now() bool { return n.when() == layout.Ready || n.when() == layout.Begun }

// when says when a node has its turn.
func (n *NetworkNode) when() layout.When {
	states := n.Behind
	if n.Parts == 0 {
		states = task.StateCounts{}
		states[n.Task.State()] = 1
	}
	switch {
	case n.over():
		return layout.Over
	case states[task.StateReady] > 0:
		return layout.Ready
	case states[task.StateAsked]+states[task.StateHeld]+states[task.StateUnheld]+states[task.StateInReview] > 0:
		return layout.Begun
	}
	return layout.Later
}

// Below returns how many tasks are below a folded task, shown or not, how many of them are closed, and the states of those
// that are shown.
func (n *NetworkNode) Below() (all, closed int, states task.StateCounts) {
	all, states = n.Parts+n.Unshown+n.Closed, n.Behind
	switch { // the task itself is counted with its group
	case n.own != nil:
		states[*n.own]--
		all--
	case n.Unshown > 0:
		all--
	}
	return all, states[task.StateDone] + states[task.StateCancelled] + n.Closed, states
}

// over reports whether nothing of a node is open.
func (n *NetworkNode) over() bool {
	if n.Parts > 0 {
		return n.Unshown == 0 && n.Behind[task.StateDone]+n.Behind[task.StateCancelled] == n.Parts
	}
	return n.Status.Closed()
}
