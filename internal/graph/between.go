package graph

import "cmp"

// Between returns the nodes that lie on a way from one node of from to one of to, both included, in a graph that is asked
// for piece by piece: out and in return what the nodes of a batch lead to, and what leads to them. It walks from both
// ends at once, always on from the one that has reached less, and stops where one end is exhausted: so it costs no more
// than twice what the smaller side does, where there is no way. The error is that of out or in.
func Between[K comparable](from, to []K, batch int, out, in func([]K) ([]K, error)) (map[K]bool, error) {
	ahead, back := newReach(from, batch, out), newReach(to, batch, in)
	for len(ahead.todo) > 0 && len(back.todo) > 0 {
		side := back
		if cmp.Or(cmp.Compare(len(ahead.seen), len(back.seen)), cmp.Compare(len(ahead.todo), len(back.todo))) < 0 {
			side = ahead
		}
		if err := side.step(nil); err != nil {
			return nil, err
		}
	}
	// One side is all that there is on it. What lies between is reached from the other end without leaving it.
	whole, rest := back, newReach(nil, batch, out)
	ends := from
	if len(back.todo) > 0 {
		whole, rest, ends = ahead, newReach(nil, batch, in), to
	}
	rest.add(ends, whole.seen)
	for len(rest.todo) > 0 {
		if err := rest.step(whole.seen); err != nil {
			return nil, err
		}
	}
	return rest.seen, nil
}

// reach is a walk in one direction.
type reach[K comparable] struct {
	seen  map[K]bool
	todo  []K // of these, what was not asked for yet
	batch int
	next  func([]K) ([]K, error)
}

func newReach[K comparable](from []K, batch int, next func([]K) ([]K, error)) *reach[K] {
	r := &reach[K]{seen: map[K]bool{}, batch: batch, next: next}
	r.add(from, nil)
	return r
}

// add adds nodes to the walk; those of within alone, unless it is nil.
func (r *reach[K]) add(nodes []K, within map[K]bool) {
	for _, k := range nodes {
		if !r.seen[k] && (within == nil || within[k]) {
			r.seen[k] = true
			r.todo = append(r.todo, k)
		}
	}
}

// step asks for a batch.
func (r *reach[K]) step(within map[K]bool) error {
	n := min(len(r.todo), r.batch)
	found, err := r.next(r.todo[:n:n])
	r.todo = r.todo[n:]
	r.add(found, within)
	return err
}
