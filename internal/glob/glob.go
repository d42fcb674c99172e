// Package glob decides whether two sets of path globs can match the same path, so that two tasks that touch the same
// files are kept apart before either has touched one.
//
// The syntax is that of github.com/bmatcuk/doublestar: `*` and `?` stay within a segment, `**` crosses segments,
// `[a-z]` and `[!a-z]` are classes, `{a,b}` are alternatives, `\` escapes. A glob that ends in a slash means all below
// it; a leading slash or `./` means nothing.
//
// A glob is written out into alternatives without braces (braces.go), each alternative is compiled into an automaton
// over characters (automaton.go, runes.go), and two automata are walked together until both accept (meeting.go). All
// of it is bounded: past a bound the answer is that the globs overlap.
package glob

import "strings"

// Bounds of the search in Overlap. Past them the answer is that two globs overlap: tasks kept apart without need are
// slower, tasks that wrongly run side by side lose work.
const (
	maxAlternatives = 256     // of one glob, with its braces written out
	maxCompiled     = 1 << 18 // bytes of alternatives, over one call
	maxPairs        = 1 << 20 // pairs of places in two globs
	maxWork         = 1 << 22 // pairs looked at, over one call
)

// Overlap reports whether some path can match a glob of each set. why names the two globs, and a path that both match
// where one was found. The empty glob matches nothing; a malformed one counts as matching anything.
func Overlap(a, b []string) (why string, ok bool) {
	if len(a) == 0 || len(b) == 0 || allPart(a, b) {
		return "", false
	}
	room := maxCompiled
	left := make([]pattern, len(a))
	for i, text := range a {
		left[i] = compile(text, &room)
	}
	search := meeting{work: maxWork}
	for _, text := range b {
		right := compile(text, &room)
		for _, l := range left {
			path, found := l.meets(right, &search)
			switch {
			case found && path == "":
				return l.text + " and " + right.text + " may match the same path", true
			case found:
				return l.text + " and " + right.text + " both match " + path, true
			}
		}
	}
	return "", false
}

// allPart reports whether the literal starts of the globs already keep every pair apart. It spares compiling them in
// the usual case, and answers false where it cannot tell.
func allPart(a, b []string) bool {
	for _, x := range a {
		p, ok := plainStart(x)
		if !ok {
			return false
		}
		for _, y := range b {
			q, ok := plainStart(y)
			if !ok || strings.HasPrefix(p, q) || strings.HasPrefix(q, p) {
				return false
			}
		}
	}
	return true
}

// plainStart returns what every path that the glob matches begins with. It is not ok for a glob with classes, braces,
// escapes or empty segments, which need to be compiled first.
func plainStart(text string) (string, bool) {
	if text == "" || text[0] == '/' || text[0] == '.' || strings.ContainsAny(text, `[]{}\`) ||
		strings.Contains(text, "//") || strings.Contains(text, "/.") {
		return "", false
	}
	if at := strings.IndexAny(text, "*?"); at >= 0 {
		text = text[:at]
	}
	return strings.TrimSuffix(text, "/"), true // a/** and a/ match a itself
}

// pattern is a compiled glob.
type pattern struct {
	text         string
	vague        bool // malformed, or past a bound: it counts as matching anything
	empty        bool // matches nothing
	alternatives []alternative
}

// compile compiles a glob and takes the bytes of its alternatives from room; without room left, the result is vague.
func compile(text string, room *int) pattern {
	p := pattern{text: text, empty: text == ""}
	texts, ok := braces(text)
	for _, alt := range texts {
		*room -= len(alt)
		var a alternative
		if ok = ok && *room >= 0; ok {
			a, ok = newAlternative(alt)
		}
		p.alternatives = append(p.alternatives, a)
	}
	p.vague = !ok
	return p
}

// meets reports whether p and q can match the same path. The path is empty where they may, and none was found.
func (p pattern) meets(q pattern, search *meeting) (path string, ok bool) {
	if p.empty || q.empty {
		return "", false
	}
	if p.vague || q.vague {
		return "", true
	}
	for _, a := range p.alternatives {
		for _, b := range q.alternatives {
			if a.apart(b) {
				continue
			}
			if path, ok := search.find(a.automaton(), b.automaton()); ok {
				return path, true
			}
		}
	}
	return "", false
}
