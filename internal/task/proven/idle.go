package proven

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// runner is how a test runner says that it ran no test, and that it ran one. A run of several packages or files can say
// both: then it tested something.
type runner struct{ idle, busy string }

// runners are the runners whose words we know. Other output proves nothing.
var runners = []runner{
	{`\[no tests to run\]|^testing: warning: no tests to run|^\?\s+\S+\s+\[no test files\]|^no packages to test`, `^ok\s+\S+\s+(\(cached\)|[0-9.]+s)(\s+coverage:.*)?$|^--- PASS:`}, // go
	{`^running 0 tests|^test result: ok\. 0 passed`, `^test result: .*\b[1-9][0-9]* (passed|measured)`},                                                                             // cargo
	{`^collected 0 items|\bno tests ran\b|^(=+ )?([0-9]+ (skipped|deselected|warnings?)(, )?)+ in [0-9.]+s`, `\b[1-9][0-9]* passed\b`},                                              // pytest
	{`^Ran 0 tests\b`, `^Ran [1-9][0-9]* tests?\b`},                                                                        // unittest
	{`^No tests? (files? )?found|^Tests:\s+([0-9]+ (skipped|todo), )*[0-9]+ total`, `^Tests:\s.*\b[1-9][0-9]* passed`},     // jest
	{`^\s+Tests\s+([0-9]+ (skipped|todo)( \| )?)+ \([0-9]+\)$|^\s+Tests\s+no tests$`, `^\s+Tests\s.*\b[1-9][0-9]* passed`}, // vitest
	{`^\s*0 passing\b`, `^\s*[1-9][0-9]* passing\b`},                                                                       // mocha
	{`^(#|ℹ) tests 0$`, `^(#|ℹ) pass [1-9]`},                                                                               // node --test
	{`^1\.\.0\b`, `^ok [1-9]`},                              // TAP
	{`^0 examples, 0 failures`, `^[1-9][0-9]* examples?, `}, // rspec
	{`\bTests run: 0,|^No tests to run\.|^No tests executed!|^No tests were found`, `\bTests run: [1-9]|^OK \([1-9][0-9]* tests?\b|tests passed, `}, // maven, phpunit, ctest
	{`\b0 passed\b|\b0 tests passed\b`, `\b[1-9][0-9]* (tests? )?passed\b`},                                                                         // many others
}

var matchers = sync.OnceValue(func() (out [][2]*regexp.Regexp) {
	for _, r := range runners {
		out = append(out, [2]*regexp.Regexp{regexp.MustCompile(r.idle), regexp.MustCompile(r.busy)})
	}
	return out
})

// Watch reads all that a command prints. It notices what test runners say: that they ran no test, how many passed and were
// skipped, and what they say of the tests that it looks for.
type Watch struct {
	line    []byte
	over    bool // the line is longer than any that says so
	idle    string
	skipped string // a test that go skipped, while it has passed none of this package
	busy    bool
	results results

	names  names
	sought []Sought
}

// NewWatch returns a Watch that looks for the tests that criteria name.
func NewWatch(criteria []task.Criterion) *Watch {
	w := &Watch{}
	for _, name := range Tests(criteria) {
		w.sought = append(w.sought, Sought{Name: name})
	}
	return w
}

// longest is how long a line is that a runner sums up with.
const longest = 512

// Write reads what is printed. It keeps the unfinished line and the unfinished name alone.
func (w *Watch) Write(p []byte) (int, error) {
	n := len(p)
	if len(w.sought) > 0 {
		w.names.read(p, w.named)
	}
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		if w.over = w.over || len(w.line)+len(part) > longest; !w.over {
			w.line = append(w.line, part...)
		}
		if ended {
			w.read()
		}
		p = rest
	}
	return n, nil
}

// named notes that the output names a test.
func (w *Watch) named(name []byte) {
	for i := range w.sought {
		if s := &w.sought[i]; s.Said == "" && s.Name == string(name) {
			s.Said = SaidNamed
		}
	}
}

// read reads a line that has ended.
func (w *Watch) read() {
	line := bytes.TrimRight(w.line, "\r \t")
	skip := w.over || len(line) == 0
	w.line, w.over = w.line[:0], false
	if skip {
		return
	}
	if bytes.IndexByte(line, escape) >= 0 {
		line = coloured().ReplaceAll(line, nil)
	}
	passed := w.results.passed
	if skipped, whole := w.results.read(line); skipped != "" {
		w.skip(skipped, whole)
		if w.skipped == "" && bytes.HasPrefix(line, []byte("--- SKIP: ")) {
			w.skipped = string(line)
		}
		if w.idle == "" && line[0] == '{' {
			w.idle = string(line)
		}
	}
	w.busy = w.busy || w.results.passed > passed
	if !w.busy {
		w.judge(string(line))
	}
}

// judge reads a line that says whether a test ran.
func (w *Watch) judge(line string) {
	for _, m := range matchers() {
		switch {
		case w.skipped != "" && m[1].MatchString(line) && strings.HasPrefix(line, "ok"): // all that it ran was skipped
			w.idle, w.skipped = cmp.Or(w.idle, w.skipped), ""
			return
		case m[1].MatchString(line):
			w.busy = true
			return
		case w.idle == "" && m[0].MatchString(line):
			w.idle = line
		}
	}
}

// skip notes that a test was skipped.
func (w *Watch) skip(text string, whole bool) {
	for i := range w.sought {
		s := &w.sought[i]
		if whole && text == s.Name || !whole && slices.Contains(testsIn(text), s.Name) {
			s.Said = SaidSkipped
		}
	}
}

// Idle returns the line in which a runner said that it ran no test, where nothing else says that one ran; else "".
func (w *Watch) Idle() string {
	w.read()
	if w.busy {
		return ""
	}
	return Tail(w.idle)
}

// Tell ends the watch, and records with the run what it noticed.
func (w *Watch) Tell(r *Run) {
	r.Idle = w.Idle()
	w.names.end(w.named)
	r.Tests, r.Runner = w.sought, cmp.Or(runnerOf(*r), w.results.runner)
	if w.results.counted {
		r.Passed, r.Skipped = &w.results.passed, &w.results.skipped
	}
}

const escape = 0x1b

// coloured matches what colours a line.
var coloured = words.Pattern(`\x1b\[[0-9;]*[A-Za-z]`)

// names cuts a stream into the words that can be names, however long the stream is.
type names struct {
	word []byte
	long bool // the word is longer than any name that is looked for
	seq  bool // within a sequence that colours a line
}

// read reads a part of the stream, and calls found with each name that ends in it.
func (n *names) read(p []byte, found func([]byte)) {
	for _, b := range p {
		switch {
		case n.seq:
			n.seq = b == '[' || b == ';' || b >= '0' && b <= '9'
		case !inName(b):
			n.end(found)
			n.seq = b == escape
		case len(n.word) == maxName:
			n.long = true
		default:
			n.word = append(n.word, b)
		}
	}
}

// end ends a name.
func (n *names) end(found func([]byte)) {
	if len(n.word) > 0 && !n.long {
		found(n.word)
	}
	n.word, n.long = n.word[:0], false
}
