package picture

import (
	"slices"
	"strings"

	"tasker/internal/graph"
	"tasker/internal/task"
)

// A picture of many tasks stays readable because parents are folded into one node each, and what is still too much is
// cut.

// folded returns which groups are drawn as one node: the groups named in the request, and in a picture of many tasks
// the outermost groups, except those that were opened or are around the focus. An opened group of many tasks has the
// groups in it folded.
func (n *network) folded(in NetworkIn) []bool {
	out, depth := make([]bool, len(n.out.Groups)), depths(n.out.Groups)
	set := func(ids []string) map[string]bool {
		out := make(map[string]bool, len(ids))
		for _, id := range ids {
			out[strings.ToLower(id)] = true
		}
		return out
	}
	asFolded, asOpened := set(in.Folded), set(in.Opened)
	named := func(ids map[string]bool, g NetworkGroup) bool { return ids[strings.ToLower(string(g.ID))] }
	for g := range n.out.Groups {
		out[g] = named(asFolded, n.out.Groups[g])
	}
	if len(n.out.Nodes) <= mapNodes || len(n.out.Groups) == 0 || slices.Contains(in.Folded, "none") {
		return out
	}
	n.out.Map = true
	opened, inside := make([]bool, len(n.out.Groups)), n.sizes()
	for g := range opened {
		opened[g] = named(asOpened, n.out.Groups[g])
	}
	if at, shown := n.at[n.out.Focus]; shown {
		for g := n.inside[at]; g >= 0; g = n.out.Groups[g].Parent {
			opened[g] = true
		}
	}
	level := n.level(depth)
	for g := range n.out.Groups {
		up := n.out.Groups[g].Parent
		deeper := depth[g] > level && opened[up] && inside[up] > mapNodes
		out[g] = out[g] || (depth[g] == level || deeper) && !opened[g]
	}
	return out
}

// level returns the depth at which groups are folded: the outermost with two groups or more, since one node alone says
// nothing. In a chain of groups it is the innermost that keeps the picture readable.
func (n *network) level(depth []int) int {
	count := make([]int, slices.Max(depth)+1)
	for _, d := range depth {
		count[d]++
	}
	if at := slices.IndexFunc(count, func(c int) bool { return c > 1 }); at >= 0 && n.remain(depth, at) <= drawnNodes {
		return at
	}
	level := 0
	for level < len(count)-1 && n.remain(depth, level+1) <= mapNodes {
		level++
	}
	return level
}

// sizes returns how many nodes each group contains, including those of the groups in it.
func (n *network) sizes() []int {
	out := make([]int, len(n.out.Groups))
	for _, g := range n.inside {
		for ; g >= 0; g = n.out.Groups[g].Parent {
			out[g]++
		}
	}
	return out
}

// depths returns how many other groups enclose each group.
func depths(groups []NetworkGroup) []int {
	out := make([]int, len(groups))
	for g := range groups {
		for at := groups[g].Parent; at >= 0; at = groups[at].Parent {
			out[g]++
		}
	}
	return out
}

// remain returns how many nodes are left if every group of a level is folded.
func (n *network) remain(depth []int, level int) (left int) {
	seen := map[int32]bool{}
	for _, g := range n.inside {
		for g >= 0 && depth[g] > level {
			g = n.out.Groups[g].Parent
		}
		switch {
		case g < 0 || depth[g] < level:
			left++
		case !seen[g]:
			seen[g] = true
			left++
		}
	}
	return left
}

// cut removes what cannot be drawn: of the nodes, closed ones first, then the ones furthest from being worked on; of the
// edges, the ones that are not critical.
func (n *network) cut() {
	if over := len(n.out.Nodes) - drawnNodes; over > 0 {
		n.out.Cut = true
		order := make([]int, len(n.out.Nodes))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return n.rank(a) - n.rank(b) })
		order = order[:drawnNodes]
		slices.Sort(order)
		became := slices.Repeat([]int32{-1}, len(n.out.Nodes))
		nodes, inside := make([]NetworkNode, len(order)), make([]int32, len(order))
		for i, at := range order {
			nodes[i], inside[i], became[at] = n.out.Nodes[at], n.inside[at], int32(i)
		}
		edges := n.out.Edges[:0]
		for _, e := range n.out.Edges {
			switch from, to := became[e.From], became[e.To]; {
			case from >= 0 && to >= 0:
				e.From, e.To = from, to
				edges = append(edges, e)
			case from >= 0:
				nodes[from].MoreAfter++
			case to >= 0:
				nodes[to].MoreBefore++
			}
		}
		n.out.Nodes, n.out.Edges, n.inside = nodes, edges, inside
	}
	if len(n.out.Edges) > drawnEdges {
		slices.SortStableFunc(n.out.Edges, func(a, b NetworkEdge) int { return weight(a) - weight(b) })
		for _, e := range n.out.Edges[drawnEdges:] {
			n.out.Nodes[e.From].MoreAfter++
			n.out.Nodes[e.To].MoreBefore++
		}
		n.out.Edges, n.out.Cut = n.out.Edges[:drawnEdges], true
	}
}

// rank orders nodes by how close they are to being worked on.
func (n *network) rank(i int) int {
	node := &n.out.Nodes[i]
	switch {
	case node.ID == n.out.Focus || node.Status == task.InProgress || node.Parts > 0:
		return 0
	case node.State == "ready" || node.State == string(task.InReview) || node.Critical:
		return 1
	case node.Status.Closed():
		return 3
	}
	return 2
}

func weight(e NetworkEdge) int {
	switch {
	case e.Critical:
		return 0
	case e.Part:
		return 2
	}
	return 1
}

// fold draws the parts of each folded parent as one node.
func (n *network) fold(folded []bool) {
	if !slices.Contains(folded, true) {
		return
	}
	outermost := func(g int32) int32 {
		found := int32(-1)
		for ; g >= 0; g = n.out.Groups[g].Parent {
			if folded[g] {
				found = g
			}
		}
		return found
	}
	became := make([]int32, len(n.out.Nodes))
	stands := map[int32]int32{}
	var nodes []NetworkNode
	var groups []int32
	for i, node := range n.out.Nodes {
		g := outermost(n.inside[i])
		if g < 0 {
			became[i] = int32(len(nodes))
			nodes, groups = append(nodes, node), append(groups, n.inside[i])
			continue
		}
		k, ok := stands[g]
		if !ok {
			k = int32(len(nodes))
			stands[g] = k
			one := *node.Task
			one.ID, one.Title, one.Claim, one.Status = n.out.Groups[g].ID, n.out.Groups[g].Title, nil, task.Open
			one.Parent = "" // it now represents its group
			nodes = append(nodes, NetworkNode{Task: &one, State: "folded"})
			if n.out.Show != "all" { // what the picture leaves out counts as well
				below := n.flow.belowOf(one.ID)
				nodes[k].Unshown, nodes[k].Closed = int(below.open), int(below.closed)
			}
			groups = append(groups, n.out.Groups[g].Parent)
		}
		nodes[k].Parts++
		switch {
		case node.Status.Closed() && nodes[k].Closed > 0:
			nodes[k].Closed--
		case !node.Status.Closed() && nodes[k].Unshown > 0:
			nodes[k].Unshown--
		}
		nodes[k].Among = append(nodes[k].Among, node.ID)
		state := node.Task.State()
		if nodes[k].Behind[state]++; node.ID == nodes[k].ID {
			nodes[k].own = &state
		}
		nodes[k].Critical = nodes[k].Critical || node.Critical
		became[i] = k
	}
	seen := map[graph.Edge]bool{}
	var edges []NetworkEdge
	for _, e := range n.out.Edges {
		e.From, e.To = became[e.From], became[e.To]
		if at := (graph.Edge{From: e.From, To: e.To}); at.From != at.To && !seen[at] {
			seen[at] = true
			edges = append(edges, e)
		}
	}
	n.out.Nodes, n.out.Edges, n.inside = nodes, edges, groups
}
