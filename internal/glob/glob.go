// Package glob decides whether two sets of path globs can match the same path, so that two tasks that touch the same
// files are kept apart before either has touched one.
//
// The syntax is that of github.com/bmatcuk/doublestar: `*` and `?` stay within a segment, `**` crosses segments,
// `[a-z]` and `[!a-z]` are classes, `{a,b}` are alternatives, `\` escapes. A glob that ends in a slash means everything
// below it; a leading slash or `./` is ignored.
//
// A glob is expanded into alternatives without braces (segments.go), each alternative is compiled into an automaton
// over characters (automaton.go), and two automata are walked together until both accept. Most sets do not need that: they
// begin in different directories (Starts).
//
// All of it is bounded. Past the bound of one comparison the answer is that the globs may overlap. A Budget bounds many
// comparisons together; once it is spent nothing is compared any more, and the caller says so.
package glob

import (
	"context"
	"strings"
)

// Bounds of one comparison of two sets. Past them the answer is that they overlap: keeping tasks apart without need is
// slow, but wrongly running them side by side loses work.
const (
	maxOfSet    = 4096    // alternatives of a set
	maxCompiled = 1 << 17 // bytes of the alternatives of a set
	maxPairs    = 1 << 19 // pairs of places in two globs
	maxWork     = 1 << 20 // pairs of places visited
)

// Set is the globs of one task. It is compiled once, however many others it is compared with.
type Set struct {
	globs    []string
	starts   []string
	patterns []pattern // nil: not compiled yet
}

// New returns the set of some globs. The empty glob matches nothing; a malformed one counts as matching anything.
func New(globs []string) *Set { return &Set{globs: globs, starts: Starts(globs)} }

// compile compiles the globs and returns how many steps that took.
func (s *Set) compile() (steps int) {
	if s.patterns != nil {
		return 0
	}
	left := room{bytes: maxCompiled, alternatives: maxOfSet}
	s.patterns = make([]pattern, len(s.globs))
	for i, text := range s.globs {
		s.patterns[i] = compile(text, &left)
	}
	return maxCompiled - max(0, left.bytes)
}

// Budget is what a computation that compares many sets may spend, in steps of about a hundred nanoseconds. It is used by
// one goroutine at a time.
type Budget struct {
	left   int
	search meeting
}

// NewBudget returns a budget of so many steps.
func NewBudget(steps int) *Budget { return &Budget{left: steps} }

// Spent reports whether nothing is left: sets for which Overlap returned false may not have been compared.
func (b *Budget) Spent() bool { return b.left <= 0 }

// Overlap reports whether some path can match a glob of each set. why names the two globs, and a path that both match
// if one was found. It returns false if the budget ran out before the end, or ctx has ended, which spends the budget.
func (b *Budget) Overlap(ctx context.Context, x, y *Set) (why string, ok bool) {
	if b.Spent() || len(x.globs) == 0 || len(y.globs) == 0 {
		return "", false
	}
	if ctx.Err() != nil {
		b.left = 0
		return "", false
	}
	b.left -= 1 + len(x.starts)*len(y.starts)/16
	if !Related(x.starts, y.starts) {
		return "", false
	}
	b.left -= len(x.globs) * len(y.globs) / 16
	if allPart(x.globs, y.globs) {
		return "", false
	}
	b.left -= x.compile() + y.compile()
	return b.meet(x, y)
}

func (b *Budget) meet(x, y *Set) (why string, ok bool) {
	b.search.work = min(maxWork, b.left)
	before := b.search.work
	defer func() { b.left -= before - b.search.work }()
	for _, right := range y.patterns {
		for _, left := range x.patterns {
			path, found := left.meets(right, &b.search)
			switch {
			case found && path == "" && b.search.work <= 0 && before < maxWork:
				return "", false // the budget ended, not the bound of one comparison
			case found && path == "":
				return left.text + " and " + right.text + " may match the same path", true
			case found:
				return left.text + " and " + right.text + " both match " + path, true
			}
		}
	}
	return "", false
}

// allPart reports whether the literal starts of the globs already keep every pair apart. This avoids compiling them in
// the usual case; it returns false if it cannot tell.
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

// plainStart returns what every path that the glob matches begins with. ok is false for a glob with classes, braces,
// escapes or empty segments, which must be compiled first.
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
	empty        bool // it matches nothing
	alternatives []alternative
}

// room is how much space the alternatives of a set may still take.
type room struct{ bytes, alternatives int }

// compile compiles a glob within the room; without room left, the result is vague.
func compile(text string, left *room) pattern {
	p := pattern{text: text, empty: text == ""}
	if left.bytes <= 0 {
		p.vague = true
		return p
	}
	texts, ok := Alternatives(text)
	for _, alt := range texts {
		left.bytes -= len(alt)
		left.alternatives--
		var a alternative
		if ok = ok && left.bytes >= 0 && left.alternatives >= 0; ok {
			a, ok = newAlternative(alt)
		}
		if !ok {
			p.vague, p.alternatives = true, nil
			return p
		}
		p.alternatives = append(p.alternatives, a)
	}
	p.vague = !ok
	return p
}

// Malformed returns why a glob would count as matching anything, or "" for a well-formed one.
func Malformed(text string) string {
	if _, plain := plainStart(text); plain {
		return ""
	}
	if compile(text, &room{bytes: maxCompiled, alternatives: maxOfSet}).vague {
		return "is not a glob: a bracket or a brace is not closed, nothing follows a backslash, or it has too many alternatives"
	}
	return ""
}

// meets reports whether p and q can match the same path. The path is empty if they may but none was found.
func (p pattern) meets(q pattern, search *meeting) (path string, ok bool) {
	if p.empty || q.empty {
		return "", false
	}
	if p.vague || q.vague {
		return "", true
	}
	for _, a := range p.alternatives {
		for _, b := range q.alternatives {
			if search.work--; search.work <= 0 {
				return "", true
			}
			if a.apart(b) {
				continue
			}
			search.work -= len(a.text) + len(b.text)
			if path, ok := search.find(a.automaton(), b.automaton()); ok {
				return path, true
			}
		}
	}
	return "", false
}

// Covers reports whether a glob of the set matches a path. It says yes where the budget is spent: see Spent.
func (b *Budget) Covers(ctx context.Context, s *Set, path string) bool {
	_, ok := b.Overlap(ctx, s, New([]string{literally.Replace(path)}))
	return ok || b.Spent()
}

// coveringSteps bounds what matching paths against the touches of one task may cost.
const coveringSteps = 200_000

// Covering returns which paths the globs of a task match, within a bound past which every path counts; nil for a task
// without globs.
func Covering(ctx context.Context, globs []string) func(path string) bool {
	if len(globs) == 0 {
		return nil
	}
	set, budget := New(globs), NewBudget(coveringSteps)
	return func(path string) bool { return budget.Covers(ctx, set, path) }
}

// literally escapes a path as a glob that matches only that path.
var literally = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)
