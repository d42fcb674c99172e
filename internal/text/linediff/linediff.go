// Package linediff compares texts by their lines.
package linediff

// maxCells is how many pairs of lines are compared; beyond that, the differing part is shown as a whole, old before
// new.
const maxCells = 4_000_000

// Compare calls put for each line of two texts in the order in which a person reads their difference: with ' ' for a
// line in both, '-' for a line of a, '+' for a line of b. Common lines at the start and end cost nothing.
func Compare(a, b []string, put func(op byte, line string)) {
	all := func(op byte, lines []string) {
		for _, l := range lines {
			put(op, l)
		}
	}
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	all(' ', a[:start])
	middle(a[start:len(a)-end], b[start:len(b)-end], put, all)
	all(' ', a[len(a)-end:])
}

// middle compares by the longest common subsequence.
func middle(a, b []string, put func(byte, string), all func(byte, []string)) {
	if len(a)*len(b) > maxCells {
		all('-', a)
		all('+', b)
		return
	}
	common := make([][]int, len(a)+1) // the length of the common subsequence from here on
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			put(' ', a[i])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			put('-', a[i])
			i++
		default:
			put('+', b[j])
			j++
		}
	}
}

// Near returns the lines of a difference that changed, each with a number of lines around it. A run of lines that is left
// out becomes the one line gap.
func Near[T any](all []T, changed func(T) bool, around int, gap T) []T {
	near := make([]bool, len(all))
	for i, l := range all {
		for k := max(0, i-around); changed(l) && k <= min(len(all)-1, i+around); k++ {
			near[k] = true
		}
	}
	var out []T
	for i, l := range all {
		switch {
		case near[i]:
			out = append(out, l)
		case i == 0 || near[i-1]:
			out = append(out, gap)
		}
	}
	return out
}
