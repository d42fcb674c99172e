package picture

import (
	"slices"

	"tasker/internal/task"
)

// Limits of the frames of a picture.
const (
	nested     = 6   // frames inside frames; deeper tasks are drawn in the innermost frame
	drawnFrame = 200 // frames that are drawn; the innermost are left out first
	readUp     = 8   // rounds of reading parents whose own parent neither the picture nor the flow knows
	readTasks  = 500 // tasks per read
)

// kinship holds the parents of the shown tasks, and their parents.
type kinship struct {
	n      *network
	read   map[task.ID]ancestor
	depth  map[task.ID]int     // of each parent, counted from the outermost
	framed map[task.ID]task.ID // of each parent: itself, or the enclosing one that has a frame
}

// ancestor is what is read about a parent that is not shown.
type ancestor struct {
	parent task.ID
	title  string
}

// parent returns the parent of a task, if it is known.
func (k *kinship) parent(id task.ID) (parent task.ID, known bool) {
	if at, shown := k.n.at[id]; shown {
		return task.ID(k.n.out.Nodes[at].Parent), true
	}
	if a, read := k.read[id]; read {
		return a.parent, true
	}
	parent = k.n.flow.parent(id)
	return parent, parent != ""
}

// climb reads the parents that are not known yet.
func (k *kinship) climb() error {
	seen := map[task.ID]bool{}
	var from []task.ID
	for i := range k.n.out.Nodes {
		from = append(from, task.ID(k.n.out.Nodes[i].Parent))
	}
	for range readUp {
		var want []task.ID
		for _, id := range from {
			for id != "" && !seen[id] {
				seen[id] = true
				up, known := k.parent(id)
				if !known {
					want = append(want, id)
				}
				id = up
			}
		}
		if len(want) == 0 {
			return nil
		}
		if err := k.fetch(want); err != nil {
			return err
		}
		from = from[:0]
		for _, id := range want {
			from = append(from, k.read[id].parent)
		}
	}
	return nil
}

// fetch reads the parts of the parents that are used.
func (k *kinship) fetch(ids []task.ID) error {
	for part := range slices.Chunk(ids, readTasks) {
		tasks, err := k.n.View.TasksByID(part)
		if err != nil {
			return err
		}
		for _, t := range tasks {
			k.read[t.ID] = ancestor{task.ID(t.Parent), t.Title}
		}
	}
	return nil
}

// settle sets the depth and the frame of a parent and of each parent above it. A parent that is its own ancestor counts
// as outermost.
func (k *kinship) settle(id task.ID) {
	var way []task.ID
	under := map[task.ID]bool{}
	for id != "" && !under[id] {
		if _, known := k.depth[id]; known {
			break
		}
		under[id] = true
		way = append(way, id)
		id, _ = k.parent(id)
	}
	depth, framed := -1, task.ID("")
	if d, known := k.depth[id]; known {
		depth, framed = d, k.framed[id]
	}
	for _, id := range slices.Backward(way) {
		if depth++; depth < nested {
			framed = id
		}
		k.depth[id], k.framed[id] = depth, framed
	}
}

// group finds the parents of the shown tasks, and their parents, and gives frames to the outermost.
func (n *network) group() error {
	k := &kinship{n: n, read: map[task.ID]ancestor{}, depth: map[task.ID]int{}, framed: map[task.ID]task.ID{}}
	if err := k.climb(); err != nil {
		return err
	}
	at := map[task.ID]int32{}
	var ids []task.ID
	add := func(id task.ID) {
		if _, known := at[id]; !known && id != "" {
			at[id] = int32(len(ids))
			ids = append(ids, id)
		}
	}
	for i := range n.out.Nodes {
		if parent := task.ID(n.out.Nodes[i].Parent); parent != "" {
			k.settle(parent)
			add(k.framed[parent])
		}
	}
	for at := 0; at < len(ids); at++ { //nolint:intrange // it grows meanwhile
		add(k.around(ids[at]))
	}
	if err := n.frames(k, ids, at); err != nil {
		return err
	}
	n.inside = slices.Repeat([]int32{-1}, len(n.out.Nodes))
	for i := range n.out.Nodes {
		node := &n.out.Nodes[i]
		own, group := k.framed[node.ID] // a parent is drawn in its own frame
		if !group {
			own = k.framed[task.ID(node.Parent)]
		}
		if own != "" {
			n.inside[i] = at[own]
		}
	}
	return nil
}

// around returns the frame that encloses the frame of a parent.
func (k *kinship) around(id task.ID) task.ID {
	if k.depth[id] == 0 {
		return ""
	}
	up, _ := k.parent(id)
	return k.framed[up]
}

// frames makes the groups of the parents that have a frame, with their titles.
func (n *network) frames(k *kinship, ids []task.ID, at map[task.ID]int32) error {
	var want []task.ID
	for _, id := range ids {
		_, shown := n.at[id]
		if _, read := k.read[id]; !shown && !read {
			want = append(want, id)
		}
	}
	if err := k.fetch(want); err != nil {
		return err
	}
	n.out.Groups = make([]NetworkGroup, len(ids))
	for i, id := range ids {
		g := NetworkGroup{ID: id, Title: k.read[id].title, Parent: -1, Parts: n.flow.parts[id]}
		if shown, ok := n.at[id]; ok {
			g.Title = n.out.Nodes[shown].Title
		}
		if up := k.around(id); up != "" {
			g.Parent = at[up]
		}
		n.out.Groups[i] = g
	}
	return nil
}

// trim removes empty frames, and the innermost ones if there are still too many.
func (n *network) trim() {
	depth, used := depths(n.out.Groups), make([]bool, len(n.out.Groups))
	for _, g := range n.inside {
		for ; g >= 0 && !used[g]; g = n.out.Groups[g].Parent {
			used[g] = true
		}
	}
	level := nested
	for ; level > 0; level-- {
		count := 0
		for g := range used {
			if used[g] && depth[g] < level {
				count++
			}
		}
		if count <= drawnFrame {
			break
		}
		n.out.Cut = true
	}
	became := slices.Repeat([]int32{-1}, len(n.out.Groups))
	var groups []NetworkGroup
	for g := range n.out.Groups {
		if used[g] && depth[g] < level {
			became[g] = int32(len(groups))
			groups = append(groups, n.out.Groups[g])
		}
	}
	now := func(g int32) int32 {
		for g >= 0 && became[g] < 0 {
			g = n.out.Groups[g].Parent
		}
		if g < 0 {
			return -1
		}
		return became[g]
	}
	for i, g := range n.inside {
		n.inside[i] = now(g)
	}
	for i := range groups {
		groups[i].Parent = now(groups[i].Parent)
	}
	n.out.Groups = groups
}

// OuterFirst lists the groups, each after the one around it, as they are painted.
func (out *NetworkOut) OuterFirst() []int32 {
	depth, order := depths(out.Groups), make([]int32, len(out.Groups))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return depth[a] - depth[b] })
	return order
}

// Names says which groups of a picture keep their names, however small it is drawn: those of the outermost level that has
// two groups or more, or else the outermost group. A folded group counts.
type Names struct {
	Group []bool // of each group: it is named
	Node  []bool // of each node: it is in a named group

	groups []NetworkGroup
}

// Named returns the names of a picture.
func (out *NetworkOut) Named() Names {
	names := Names{Group: make([]bool, len(out.Groups)), Node: make([]bool, len(out.Nodes)), groups: out.Groups}
	depth, count := depths(out.Groups), make([]int, nested+1)
	for _, d := range depth {
		count[d]++
	}
	for i, n := range out.Nodes {
		if n.Parts == 0 {
			continue
		}
		d := 0
		if g := out.Inside[i]; g >= 0 {
			d = depth[g] + 1
		}
		count[d]++
	}
	level := max(0, slices.IndexFunc(count, func(c int) bool { return c > 1 }))
	for g, d := range depth {
		names.Group[g] = d == level
	}
	for i, g := range out.Inside {
		names.Node[i] = names.Inside(g)
	}
	return names
}

// Inside reports whether a group is named, or in one that is.
func (n Names) Inside(g int32) bool {
	for ; g >= 0; g = n.groups[g].Parent {
		if n.Group[g] {
			return true
		}
	}
	return false
}
