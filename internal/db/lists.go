package db

import "strconv"

// runs are the lengths that a list in a statement may have; 100 and 160 fit two and three columns of a board.
var runs = []int{1, 4, 16, 64, 100, 160, 256}

// Batches cuts a list of keys into runs of a few lengths, so that their statements stay prepared. It pads each run to its
// length by repeating the last key, which does not matter in a set.
func Batches[K any](keys []K, fn func(run []any) error) error {
	for len(keys) > 0 {
		size := runs[len(runs)-1]
		for _, n := range runs {
			if n >= len(keys) {
				size = n
				break
			}
		}
		run := make([]any, size)
		for i := range run {
			run[i] = keys[min(i, len(keys)-1)]
		}
		if err := fn(run); err != nil {
			return err
		}
		keys = keys[min(size, len(keys)):]
	}
	return nil
}

// Args returns a list as arguments of a statement, after first.
func Args[T any](list []T, first ...any) []any {
	for _, v := range list {
		first = append(first, v)
	}
	return first
}

// In writes "($first, …)" for a list of n parameters.
func In(first, n int) string {
	b := make([]byte, 0, n*5)
	b = append(b, '(')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '$')
		b = strconv.AppendInt(b, int64(first+i), 10)
	}
	return string(append(b, ')'))
}
