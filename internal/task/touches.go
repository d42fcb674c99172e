package task

import "strings"

// Bounds of the search in Overlap. Past them the answer is that two globs overlap: work that is kept apart
// without need is slower, work that is not kept apart is lost.
const (
	maxAlternatives = 256     // of one glob, its braces written out
	maxCompiled     = 1 << 18 // bytes of alternatives, over one call
	maxPairs        = 1 << 20 // pairs of places in two globs
	maxWork         = 1 << 22 // pairs looked at, over one call
)

// Overlap tells whether two sets of path globs overlap: whether some path can match a glob of each. why names
// the two globs, and a path that both match. A glob that ends in a slash means all below it; a leading slash or
// `./` means nothing; a malformed one can match anything.
func Overlap(a, b []string) (why string, ok bool) {
	if len(a) == 0 || len(b) == 0 || allPart(a, b) {
		return "", false
	}
	room := maxCompiled
	left := make([]glob, len(a))
	for i, text := range a {
		left[i] = compileGlob(text, &room)
	}
	search := meeting{work: maxWork}
	for _, text := range b {
		right := compileGlob(text, &room)
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

// allPart tells at a glance that no two of the globs can meet, without looking into any of them.
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

// plainStart is what every path that a glob matches begins with, of one that has no classes, braces, escapes and
// segments that mean nothing; it is not ok for others.
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

// glob is a compiled glob: one machine for each way to choose among its braces.
type glob struct {
	text    string
	vague   bool // malformed, or past a bound: it counts as matching anything
	nothing bool // the empty glob
	options []machine
}

func compileGlob(text string, room *int) glob {
	g := glob{text: text, nothing: text == ""}
	alternatives, ok := braces(text)
	for _, alt := range alternatives {
		*room -= len(alt)
		var m machine
		if ok = ok && *room >= 0; ok {
			m, ok = newMachine(alt)
		}
		g.options = append(g.options, m)
	}
	g.vague = !ok
	return g
}

// meets looks for a path that both match; it is empty where they only may.
func (g glob) meets(h glob, search *meeting) (path string, ok bool) {
	if g.nothing || h.nothing {
		return "", false
	}
	if g.vague || h.vague {
		return "", true
	}
	for _, m := range g.options {
		for _, n := range h.options {
			if m.parts(n) {
				continue
			}
			if path, ok := search.find(m.automaton(), n.automaton()); ok {
				return path, true
			}
		}
	}
	return "", false
}

// braces writes out `{a,b}`, nested ones too, as the shell does. It is not ok where a brace or class is not
// closed, or where there are too many.
func braces(text string) (out []string, ok bool) {
	todo := []string{text}
	for turns := 0; len(todo) > 0; turns++ {
		if len(todo)+len(out) > maxAlternatives || turns > 8*maxAlternatives {
			return nil, false
		}
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		open, parts, end, ok := firstBrace(s)
		if !ok {
			return nil, false
		}
		if open < 0 {
			out = append(out, s)
			continue
		}
		for _, part := range parts {
			todo = append(todo, s[:open]+part+s[end+1:])
		}
	}
	return out, true
}

// firstBrace finds the first brace outside of classes, its parts and its end. open is negative where there is none.
func firstBrace(s string) (open int, parts []string, end int, ok bool) {
	open = -1
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			n := classEnd(s[i:])
			if n < 0 {
				return 0, nil, 0, false
			}
			i += n
		case '{':
			if depth == 0 {
				open, from = i, i+1
			}
			depth++
		case ',':
			if depth == 1 {
				parts = append(parts, s[from:i])
				from = i + 1
			}
		case '}':
			if depth == 1 {
				return open, append(parts, s[from:i]), i, true
			}
			depth = max(0, depth-1)
		}
	}
	return open, parts, 0, depth == 0
}

// classEnd is where the class at the start of s closes, negative where it does not.
func classEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return i
		}
	}
	return -1
}
