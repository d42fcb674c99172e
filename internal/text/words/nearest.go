package words

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the option that a name was most likely meant to be: the first of equals, and "" if no option is close
// enough to be a typo or starts with the name. Case counts less than letters.
func Nearest[T ~string](name string, options []T) string {
	const longest = 100 // characters; anything longer is not a typo of a name
	length := utf8.RuneCountInString(name)
	if length > longest {
		return ""
	}
	if near := closest(name, options, max(1, min((length+2)/3, 4))); near != "" {
		return near
	}
	return begun(name, options)
}

// begun returns the option that starts with most of the name: severity for sev, verification for verify.
func begun[T ~string](name string, options []T) string {
	const shortest = 3 // characters; fewer match too much
	lower := []rune(strings.ToLower(name))
	best, most := "", max(shortest, (2*len(lower)+2)/3)-1
	for _, o := range options {
		same := 0
		for _, r := range strings.ToLower(string(o)) {
			if same == len(lower) || lower[same] != r {
				break
			}
			same++
		}
		if same > most {
			best, most = string(o), same
		}
	}
	return best
}

// Closest is Nearest without a bound, for the few names of keys, one of which was meant however it was written. A
// value, in contrast, may be something else altogether, and then Nearest has no suggestion.
func Closest[T ~string](name string, options []T) string {
	const longest = 64 // characters that are compared
	if r := []rune(name); len(r) > longest {
		name = string(r[:longest])
	}
	if near := Nearest(name, options); near != "" {
		return near
	}
	return closest(name, options, math.MaxInt32)
}

// closest returns the option with the fewest edits, and at most limit of them.
func closest[T ~string](name string, options []T, limit int) string {
	length := utf8.RuneCountInString(name)
	lower := strings.ToLower(name)
	best, bestDistance := "", 2*limit+2
	for _, option := range options {
		o := string(option)
		if diff := utf8.RuneCountInString(o) - length; diff > limit || -diff > limit {
			continue // there are at least as many edits as the difference in length
		}
		distance := 2 * edits(lower, strings.ToLower(o))
		if name != o {
			distance++
		}
		if distance < bestDistance {
			best, bestDistance = o, distance
		}
	}
	return best
}

// edits returns how many characters to insert, remove or replace; two neighbours in the wrong order are one mistake.
func edits(a, b string) int {
	if swapped(a, b) {
		return 1
	}
	return levenshtein.ComputeDistance(a, b)
}

// swapped reports whether two texts differ only in the order of two neighbours.
func swapped(a, b string) bool {
	if len(a) != len(b) || a == b {
		return false
	}
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// Meant returns Nearest as the end of a message: "; did you mean deps?", or nothing.
func Meant[T ~string](name string, options []T) string {
	if near := Nearest(name, options); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}
