package graph

import "cmp"

// Between returns the nodes on a path from a node of from to a node of to, both included, in a graph that is read piece
// by piece: out and in return what the nodes of a batch lead to, and what leads to them. It walks from both ends at
// once, always continuing from the end that has reached less, and stops when one end is exhausted: so if there is no
// path, it costs no more than twice the smaller side. An error comes from out or in.
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
	// One side is complete. The nodes in between are the ones reached from the other end without leaving it.
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
	todo  []K // the ones that were not read yet
	batch int
	next  func([]K) ([]K, error)
}

func newReach[K comparable](from []K, batch int, next func([]K) ([]K, error)) *reach[K] {
	r := &reach[K]{seen: map[K]bool{}, batch: batch, next: next}
	r.add(from, nil)
	return r
}

// add adds nodes to the walk; only nodes of within, unless it is nil.
func (r *reach[K]) add(nodes []K, within map[K]bool) {
	for _, k := range nodes {
		if !r.seen[k] && (within == nil || within[k]) {
			r.seen[k] = true
			r.todo = append(r.todo, k)
		}
	}
}

// step reads a batch.
func (r *reach[K]) step(within map[K]bool) error {
	n := min(len(r.todo), r.batch)
	found, err := r.next(r.todo[:n:n])
	r.todo = r.todo[n:]
	r.add(found, within)
	return err
}
