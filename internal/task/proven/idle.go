package proven

import (
	"bytes"
	"regexp"
	"sync"
)

// runner is how a test runner says that it ran no test, and that it ran one. A run of several packages or files can say
// both: then it tested something.
type runner struct{ idle, busy string }

// runners are the runners whose words we know. What none of them says means nothing.
var runners = []runner{
	{`\[no tests to run\]|^testing: warning: no tests to run|^\?\s+\S+\s+\[no test files\]|^no packages to test`, `^ok\s+\S+\s+(\(cached\)|[0-9.]+s)(\s+coverage:.*)?$|^--- PASS:`}, // go
	{`^running 0 tests|^test result: ok\. 0 passed`, `^running [1-9][0-9]* tests?|^test result: .*\b[1-9][0-9]* passed`},                                                            // cargo
	{`^collected 0 items|\bno tests ran\b`, `\b[1-9][0-9]* passed\b`},                                                                                                               // pytest
	{`^Ran 0 tests\b`, `^Ran [1-9][0-9]* tests?\b`},                                                                                                                                 // unittest
	{`^No tests? (files? )?found|^Tests:\s+0 total`, `^Tests:\s.*\b[1-9][0-9]* passed`},                                                                                             // jest, vitest
	{`^\s*0 passing\b`, `^\s*[1-9][0-9]* passing\b`},                                                                                                                                // mocha
	{`^(#|ℹ) tests 0$`, `^(#|ℹ) pass [1-9]`},                                                                                                                                        // node --test
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

// Watch reads what a command prints, and notices a test runner that says that it ran no test.
type Watch struct {
	line []byte
	over bool // the line is longer than any that says so
	idle string
	busy bool
}

// longest is how long a line is that a runner sums up with.
const longest = 512

// Write reads what is printed. It keeps the unfinished line alone.
func (w *Watch) Write(p []byte) (int, error) {
	n := len(p)
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

// read reads a line that has ended.
func (w *Watch) read() {
	line := string(bytes.TrimRight(w.line, "\r \t"))
	skip := w.over || w.busy || line == ""
	w.line, w.over = w.line[:0], false
	if skip {
		return
	}
	for _, m := range matchers() {
		switch {
		case m[1].MatchString(line):
			w.busy = true
			return
		case w.idle == "" && m[0].MatchString(line):
			w.idle = line
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
