package plan

import (
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// nearest picks the option that the name was most likely meant to be, the first of equals, "" where none is near.
// Case counts for less than letters do.
func nearest(name string, options func(yield func(string) bool)) string {
	length := utf8.RuneCountInString(name)
	if length > 100 {
		return ""
	}
	far := max(1, min((length+2)/3, 4)) // edits past which it is another word
	best, bestDistance := "", 2*far+2
	lower := strings.ToLower(name)
	for o := range options {
		if diff := utf8.RuneCountInString(o) - length; diff > far || -diff > far {
			continue
		}
		d := 2 * levenshtein.ComputeDistance(lower, strings.ToLower(o))
		if name != o {
			d++
		}
		if d < bestDistance {
			best, bestDistance = o, d
		}
	}
	return best
}
