package frame

import (
	"strings"

	"tasker/internal/text/words"
)

// Near returns the name that somebody most likely meant: one that the text is the beginning of, else the nearest; ""
// where none is near enough.
func Near(text string, names []string) string {
	if len(text) >= 2 {
		for _, n := range names {
			if strings.HasPrefix(n, text) {
				return n
			}
		}
	}
	return words.Nearest(text, names)
}
