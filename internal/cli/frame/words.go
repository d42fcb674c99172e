package frame

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest gives the word that s was probably meant to be, or "".
func Nearest(s string, words []string) string {
	best, least := "", 3 // more than two edits are another word
	for _, w := range words {
		d := levenshtein.ComputeDistance(strings.ToLower(s), w)
		if strings.HasPrefix(w, s) && len(s) >= 2 {
			d = min(d, 1)
		}
		if d < least && d < len(w) {
			best, least = w, d
		}
	}
	return best
}

// Count is "1 task", "3 tasks".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// List joins words with commas.
func List[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, a := range all {
		words[i] = string(a)
	}
	return strings.Join(words, ", ")
}
