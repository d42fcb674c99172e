package glob

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the starts of a set, which are stored for every held task.
const (
	maxStarts = 16
	maxStart  = 255     // bytes
	maxRead   = 1 << 17 // bytes of alternatives that are looked at
)

// Starts returns the directories that contain everything that some globs match: each ends in a slash, except "", which
// contains all paths. A literal path counts as a directory. Two sets can overlap only if a start of one equals, or lies
// in, a start of the other. Starts are few, sorted and short: if there would be too many, they become less exact.
func Starts(globs []string) []string {
	var out []string
	room := maxRead
	for _, text := range globs {
		if text == "" {
			continue
		}
		texts, ok := Alternatives(text)
		if !ok {
			return []string{""}
		}
		for _, alt := range texts {
			segments, ok := Segments(alt)
			if room -= len(alt); !ok || room < 0 {
				return []string{""}
			}
			out = append(out, start(segments))
		}
	}
	for {
		slices.Sort(out)
		out = slices.Compact(out)
		if len(out) <= maxStarts {
			return out
		}
		shorten(out)
	}
}

// start joins the leading segments that have no wildcards and can be stored.
func start(segments []string) string {
	var b strings.Builder
	for _, seg := range segments {
		if strings.ContainsAny(seg, `*?[]\`) || b.Len()+len(seg) >= maxStart || !utf8.ValidString(seg) || strings.ContainsFunc(seg, unicode.IsControl) {
			break
		}
		b.WriteString(seg)
		b.WriteByte('/')
	}
	return b.String()
}

// shorten removes the last segment of the deepest starts.
func shorten(starts []string) {
	deepest := 0
	for _, s := range starts {
		deepest = max(deepest, strings.Count(s, "/"))
	}
	for i, s := range starts {
		if strings.Count(s, "/") == deepest {
			starts[i] = s[:strings.LastIndexByte(s[:len(s)-1], '/')+1]
		}
	}
}

// Above returns the starts that contain a start, itself included.
func Above(start string) []string {
	out := []string{""}
	for i := range len(start) {
		if start[i] == '/' {
			out = append(out, start[:i+1])
		}
	}
	return out
}

// Related reports whether a start of one set equals, or lies in, a start of the other.
func Related(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) {
				return true
			}
		}
	}
	return false
}
