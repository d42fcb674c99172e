package proven

import (
	"slices"

	"tasker/internal/task"
)

// Recorded returns the runs among the evidence of one task that say that a command ended well, the newest of each command in
// each directory. Items are oldest first, and so are the runs.
func Recorded(items []task.Evidence) (runs []task.Evidence) {
	type place struct{ command, dir string }
	seen := map[place]bool{}
	for _, e := range slices.Backward(items) {
		r, ok := Parse(e.Value)
		if at := (place{r.Text(), string(r.Dir)}); ok && r.ExitCode == 0 && !seen[at] {
			seen[at] = true
			runs = append(runs, e)
		}
	}
	slices.Reverse(runs)
	return runs
}

// Drawn returns n of a list at random, each with the same chance, in their order; the whole list if it has no more. draw
// returns a random number from 0 to below.
func Drawn[T any](list []T, n int, draw func(below int) (int, error)) ([]T, error) {
	if len(list) <= n {
		return list, nil
	}
	places := make([]int, len(list))
	for i := range places {
		places[i] = i
	}
	for i := range n {
		k, err := draw(len(places) - i)
		if err != nil {
			return nil, err
		}
		places[i], places[i+k] = places[i+k], places[i]
	}
	slices.Sort(places[:n])
	out := make([]T, n)
	for i, at := range places[:n] {
		out[i] = list[at]
	}
	return out, nil
}
