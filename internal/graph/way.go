package graph

import "slices"

// Way finds a shortest path from one of the starts to goal in a graph that is read piece by piece: next returns the
// nodes that a node leads to. The result is nil if there is none; a start that is the goal gives a path of one node. An
// error comes from next.
func Way[K comparable](starts []K, goal K, next func(K) ([]K, error)) ([]K, error) {
	type seen struct {
		node K
		via  int // its index in queue, -1 for a start
	}
	var queue []seen
	known := make(map[K]bool)
	reach := func(k K, via int) {
		if !known[k] {
			known[k] = true
			queue = append(queue, seen{k, via})
		}
	}
	for _, k := range starts {
		reach(k, -1)
	}
	for head := 0; ; head++ {
		if head == len(queue) {
			return nil, nil
		}
		if queue[head].node == goal {
			var way []K
			for at := head; at >= 0; at = queue[at].via {
				way = append(way, queue[at].node)
			}
			slices.Reverse(way)
			return way, nil
		}
		out, err := next(queue[head].node)
		if err != nil {
			return nil, err
		}
		for _, k := range out {
			reach(k, head)
		}
	}
}
