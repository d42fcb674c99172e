package proven

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// known are the runners whose results we read. call runs the tests of a name and prints their names; either joins several
// names, and is empty where only one can be given.
var known = []struct {
	name, call, either string
	starts             []string // what calls it, as words of a command
}{
	{"go", "go test -v -run %s ./...", "|", []string{"go test"}},
	{"pytest", "pytest -v -k %s", " or ", []string{"pytest", "py.test", "python -m pytest", "python3 -m pytest"}},
	{"cargo", "cargo test %s", "", []string{"cargo test"}},
	{"jest", "npx jest --verbose -t %s", "|", []string{"jest", "npx jest"}},
	{"vitest", "npx vitest run --reporter=verbose -t %s", "|", []string{"vitest", "npx vitest"}},
}

// runnerOf returns the runner that a command calls by name, or "".
func runnerOf(r Run) string {
	text := r.Line
	if len(r.Command) > 0 {
		text = strings.Join(r.Command, " ")
	}
	called := strings.Fields(text)
	if len(called) == 0 {
		return ""
	}
	called[0] = path.Base(called[0])
	text = strings.Join(called, " ") + " "
	for _, k := range known {
		if slices.ContainsFunc(k.starts, func(start string) bool { return strings.HasPrefix(text, start+" ") }) {
			return k.name
		}
	}
	return ""
}

// results are what the runners print about their tests, as far as the lines say it.
type results struct {
	runner          string
	passed, skipped int
	counted         bool // a line counted tests, even none
}

// saw notes which runner printed a line, and what it counts.
func (c *results) saw(runner string, passed, skipped int) {
	if c.runner == "" {
		c.runner = runner
	}
	c.passed, c.skipped, c.counted = add(c.passed, passed), add(c.skipped, skipped), true
}

// add adds counts, and does not run over.
func add(a, b int) int {
	const most = 1_000_000_000
	return min(a+min(max(b, 0), most), most)
}

// What the runners print. A line is only matched where a cheaper look says that it may.
var patterns = sync.OnceValue(func() (p struct{ pass, skip, cargo, pytest, jest, vitest *regexp.Regexp }) {
	p.pass, p.skip = regexp.MustCompile(`\b([0-9]{1,9}) passed`), regexp.MustCompile(`\b([0-9]{1,9}) (?:skipped|ignored)`)
	p.cargo = regexp.MustCompile(`^test result: \w+\. [0-9]+ passed; `)
	p.pytest = regexp.MustCompile(`^(=+ )?([0-9]+ [a-z]+, )*[0-9]+ [a-z]+ in [0-9.]+s( \([0-9:]+\))?( =+)?$`)
	p.jest = regexp.MustCompile(`^Tests: +([0-9]+ [a-z]+, )*[0-9]+ total$`)
	p.vitest = regexp.MustCompile(`^ +Tests +([0-9]+ [a-z ]+ \| )*[0-9]+ [a-z ]+ \([0-9]+\)$`)
	return p
})

// read reads a line: the result of a test, or a sum of results. Where the line says that a test was skipped, it returns the
// name, or else, with whole false, a title in which the name may stand.
func (c *results) read(line []byte) (skipped string, whole bool) {
	rest := bytes.TrimLeft(line, " ")
	nested := len(rest) < len(line)
	switch {
	case bytes.HasPrefix(rest, []byte("--- ")):
		return c.readGo(string(rest), nested), true
	case bytes.HasPrefix(line, []byte(`{"`)) && bytes.Contains(line, []byte(`"Action":"`)):
		return c.readJSON(line), true
	case bytes.HasPrefix(line, []byte("ok  \t")), bytes.HasPrefix(line, []byte("?   \t")):
		if c.runner == "" {
			c.runner = "go"
		}
	case bytes.HasPrefix(line, []byte("test ")):
		if name, _, ok := strings.Cut(string(line[len("test "):]), " ... ignored"); ok {
			return last(name, "::"), true
		}
		if p := patterns(); p.cargo.Match(line) {
			c.sum("cargo", line)
		}
	case bytes.Contains(line, []byte("::")) && bytes.Contains(line, []byte(" SKIPPED")):
		name, _, _ := strings.Cut(string(line), " SKIPPED")
		name, _, _ = strings.Cut(last(name, "::"), "[")
		return name, true
	case bytes.Contains(line, []byte(" ... skipped")):
		name, _, _ := strings.Cut(string(line), " ")
		return name, true
	case bytes.HasPrefix(rest, []byte("○ skipped ")), bytes.HasPrefix(rest, []byte("↓ ")):
		return string(rest), false
	case bytes.HasPrefix(line, []byte("ok ")) && bytes.Contains(line, []byte(" # SKIP")):
		name, _, _ := strings.Cut(string(line), " # SKIP")
		return name, false
	case bytes.HasPrefix(line, []byte("Tests:")) && patterns().jest.Match(line):
		c.sum("jest", line)
	case bytes.HasPrefix(rest, []byte("Tests ")) && patterns().vitest.Match(line):
		c.sum("vitest", line)
	case bytes.Contains(line, []byte(" in ")) && patterns().pytest.Match(line):
		c.sum("pytest", line)
	}
	return "", false
}

// readGo reads the result of a test of go. Only tests that are part of no other are counted.
func (c *results) readGo(line string, nested bool) (skipped string) {
	verb, name, _ := strings.Cut(strings.TrimPrefix(line, "--- "), ": ")
	name, _, ok := strings.Cut(name, " (")
	switch {
	case !ok:
	case verb == "PASS" && !nested:
		c.saw("go", 1, 0)
	case verb == "SKIP":
		if !nested {
			c.saw("go", 0, 1)
		}
		return name
	}
	return ""
}

// readJSON reads the result of a test as `go test -json` prints it.
func (c *results) readJSON(line []byte) (skipped string) {
	var event struct{ Action, Test string }
	if json.Unmarshal(line, &event) != nil || event.Test == "" {
		return ""
	}
	nested := strings.Contains(event.Test, "/")
	switch event.Action {
	case "pass":
		if !nested {
			c.saw("go", 1, 0)
		}
	case "skip":
		if !nested {
			c.saw("go", 0, 1)
		}
		return event.Test
	}
	return ""
}

// sum adds the counts that a runner sums up with.
func (c *results) sum(runner string, line []byte) {
	p := patterns()
	c.saw(runner, number(p.pass, line), number(p.skip, line))
}

func number(of *regexp.Regexp, line []byte) int {
	m := of.FindSubmatch(line)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1])) // nine digits at most
	return n
}

// last returns what follows the last separator.
func last(name, separator string) string {
	parts := strings.Split(name, separator)
	return parts[len(parts)-1]
}
