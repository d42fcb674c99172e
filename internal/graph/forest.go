package graph

// Forest is a set of trees, for asking often what lies above what.
type Forest struct {
	in, out []int32 // when a walk enters and leaves a node
}

// NewForest builds the forest in which parent[v] is v's parent, -1 for none. There must be no cycle; nodes on one
// lie above nothing.
func NewForest(parent []int32) *Forest {
	n := len(parent)
	var edges []Edge
	for v, p := range parent {
		if p >= 0 {
			edges = append(edges, Edge{From: p, To: int32(v)})
		}
	}
	children := New(n, edges)
	f := &Forest{in: make([]int32, n), out: make([]int32, n)}
	next := make([]int32, n)
	var clock int32
	var path []int32
	for root, p := range parent {
		if p >= 0 {
			continue
		}
		path = append(path, int32(root))
		for len(path) > 0 {
			v := path[len(path)-1]
			if f.in[v] == 0 {
				clock++
				f.in[v] = clock
			}
			if out := children.Out(v); int(next[v]) < len(out) {
				path = append(path, out[next[v]])
				next[v]++
				continue
			}
			clock++
			f.out[v] = clock
			path = path[:len(path)-1]
		}
	}
	return f
}

// Above reports whether a is an ancestor of v. No node is its own.
func (f *Forest) Above(a, v int32) bool {
	return f.in[a] < f.in[v] && f.out[v] < f.out[a]
}
