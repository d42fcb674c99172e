package cli

import (
	"strings"

	"github.com/agnivade/levenshtein"

	"tasker/internal/fault"
)

// nearest gives the word that s was probably meant to be, or "".
func nearest(s string, words []string) string {
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

// pair splits a=b.
func pair(s, left, right string) (string, string, error) {
	a, b, ok := strings.Cut(s, "=")
	if !ok || a == "" || b == "" {
		return "", "", fault.Bad("%q is not written as %s=%s", s, left, right)
	}
	return a, b, nil
}
