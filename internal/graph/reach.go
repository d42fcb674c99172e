package graph

// Reach answers how much the nodes of a graph without cycles lead to. Nodes on or before a cycle lead to nothing.
//
// It keeps the nodes in an order in which all edges lead back.
type Reach struct {
	order []int32 // the nodes in that order
	place []int32 // of each node: its place in the order; None on or before a cycle
	from  []int32 // from[i] to from[i+1] are the part of to that belongs to place i
	to    []int32 // places
}

// NewReach orders the nodes of a graph. Each edge is given once.
func NewReach(n int, edges []Edge) *Reach {
	g := New(n, edges)
	r := &Reach{order: g.inwards(), place: make([]int32, n)}
	for v := range r.place {
		r.place[v] = None
	}
	for i, v := range r.order {
		r.place[v] = int32(i)
	}
	r.from = make([]int32, 1, len(r.order)+1)
	r.to = make([]int32, 0, len(edges))
	for _, v := range r.order {
		for _, w := range g.Out(v) {
			r.to = append(r.to, r.place[w])
		}
		r.from = append(r.from, int32(len(r.to)))
	}
	return r
}

// out returns the places that a place leads to.
func (r *Reach) out(i int) []int32 { return r.to[r.from[i]:r.from[i+1]] }

// Near returns the loads of all nodes without what they reach through others: Transitive is zero.
func (r *Reach) Near() []Load {
	out := make([]Load, len(r.place))
	for i, v := range r.order {
		out[v].Direct = len(r.out(i))
		for _, w := range r.out(i) {
			out[v].Depth = max(out[v].Depth, out[r.order[w]].Depth+1)
		}
	}
	return out
}

// Estimating: the more nodes one reaches, the smaller is the smallest of the random numbers that they were given.
const (
	atOnce = 16 // random numbers of a node at a time: a cache line
	rounds = 4
)

// Estimate returns about how many nodes each node reaches, in time linear in nodes and edges: for most nodes that reach
// many it is less than a fifth off, and a node is never said to reach less than one that it leads to. It calls goOn now and
// then, and returns nil if that returns false. The same graph gives the same numbers.
func (r *Reach) Estimate(goOn func() bool) []int {
	var random scattered
	own, least := make([][atOnce]uint32, len(r.order)), make([][atOnce]uint32, len(r.order))
	sum := make([]uint64, len(r.order))
	for range rounds {
		if !goOn() {
			return nil
		}
		for i := range own {
			for k := 0; k < atOnce; k += 2 {
				two := random.next()
				own[i][k], own[i][k+1] = uint32(two), uint32(two>>32)
			}
		}
		for i := range least {
			m := &least[i]
			for k := range m {
				m[k] = 1<<32 - 1
			}
			for _, w := range r.out(i) {
				a, b := &least[w], &own[w]
				for k := range m {
					m[k] = min(m[k], a[k], b[k])
				}
			}
			for _, x := range m {
				sum[i] += uint64(x)
			}
		}
	}
	out := make([]int, len(r.place))
	for i, v := range r.order { // the smallest of n numbers between 0 and 1 is 1/(n+1) on average
		out[v] = int(atOnce*rounds*(1<<32-1)/max(sum[i], 1)) - 1
	}
	return out
}

// scattered is a row of numbers that look random, and are the same each time (splitmix64).
type scattered uint64

func (s *scattered) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	x := uint64(*s)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// asked is how many nodes are counted in one pass.
const asked = 256

// Exactly returns how many nodes each of some nodes reaches, in one pass over the graph for every 256 of them. It calls
// goOn before each pass, and returns nil if that returns false.
func (r *Reach) Exactly(nodes []int32, goOn func() bool) []int {
	out := make([]int, len(nodes))
	reached := make([][asked / 64]uint64, len(r.order)) // by which of the nodes
	for first := 0; first < len(nodes); first += asked {
		if !goOn() {
			return nil
		}
		clear(reached)
		some := nodes[first:min(first+asked, len(nodes))]
		start := map[int32][]int{}
		high := int32(None)
		for k, v := range some {
			if at := r.place[v]; at != None {
				start[at] = append(start[at], k)
				high = max(high, at)
			}
		}
		var sums columns
		for i := high; i >= 0; i-- {
			on := reached[i]
			sums.add(on)
			for _, k := range start[i] {
				on[k/64] |= 1 << (k % 64)
			}
			if on == ([asked / 64]uint64{}) {
				continue
			}
			for _, w := range r.out(int(i)) {
				for k, word := range on {
					reached[w][k] |= word
				}
			}
		}
		for k := range some {
			out[first+k] = sums.of(k)
		}
	}
	return out
}

// columns counts the set bits of many words, each bit for itself: digits[d] has the digit d of each bit's count.
type columns struct {
	digits [32][asked / 64]uint64
}

func (c *columns) add(carry [asked / 64]uint64) {
	for d := 0; carry != ([asked / 64]uint64{}); d++ {
		for k := range carry {
			carry[k], c.digits[d][k] = carry[k]&c.digits[d][k], carry[k]^c.digits[d][k]
		}
	}
}

// of returns the count of a bit.
func (c *columns) of(bit int) (n int) {
	for d := range c.digits {
		n += int(c.digits[d][bit/64]>>(bit%64)&1) << d
	}
	return n
}
