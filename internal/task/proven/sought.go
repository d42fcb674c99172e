package proven

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Sought is a test that a criterion of the task names, and what the run says about it.
type Sought struct {
	Name string `json:"name"`
	Said string `json:"said,omitzero"` // SaidNamed or SaidSkipped; "" if the output does not name it
}

// What the output of a run can say about a test.
const (
	SaidNamed   = "named"
	SaidSkipped = "skipped"
)

// Bounds of the tests that are looked for in the output of a run.
const (
	maxSought = 50
	maxName   = 100 // bytes
)

// Tests returns the tests that criteria name, each once: those that are looked for in what a command prints.
func Tests(criteria []task.Criterion) (out []string) {
	for _, c := range criteria {
		for _, name := range testsIn(c.Text) {
			if len(out) < maxSought && len(name) <= maxName && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// testsIn returns the words of a text that are the name of a test: `Test` and a capital, a digit or an underscore, or
// `test_` and more.
func testsIn(text string) (out []string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r > 127 || !inName(byte(r)) }) {
		if isTest(word) && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}

func isTest(word string) bool {
	if rest, ok := strings.CutPrefix(word, "test_"); ok {
		return rest != ""
	}
	rest, ok := strings.CutPrefix(word, "Test")
	return ok && rest != "" && (rest[0] < 'a' || rest[0] > 'z')
}

// inName reports whether a byte can be part of a name. Any other byte ends it, in criteria and output alike.
func inName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}

// Doubt returns why a run that ended well may not show a criterion all the same, or "": the criterion names a test that
// neither the output nor the command names, or that the output says was skipped. For a runner that we know it says which
// call would leave no doubt. A run that was not searched for the test says nothing about it.
func Doubt(r Run, criterion string) string {
	var absent, skipped, unsought []string
	for _, name := range testsIn(criterion) {
		i := slices.IndexFunc(r.Tests, func(s Sought) bool { return s.Name == name })
		switch {
		case i >= 0 && r.Tests[i].Said == SaidSkipped:
			skipped = append(skipped, name)
		case i >= 0 && r.Tests[i].Said == SaidNamed, slices.Contains(testsIn(r.Text()), name):
		case i >= 0:
			absent = append(absent, name)
		default:
			unsought = append(unsought, name)
		}
	}
	var said []string
	if len(skipped) > 0 {
		said = append(said, "its output says that "+some(skipped)+words.Either(len(skipped) == 1, " was", " were")+" skipped")
	}
	if len(absent) > 0 {
		said = append(said, "neither its output nor its command names "+some(absent))
	}
	if len(unsought) > 0 {
		said = append(said, "its output was not searched for "+some(unsought))
	}
	if len(said) == 0 {
		return ""
	}
	doubt := strings.Join(said, ", and ")
	if call := r.showing(slices.Concat(skipped, absent, unsought)); call != "" {
		doubt += ": `" + call + "` would leave no doubt"
	}
	return doubt
}

// shownNames is how many tests a doubt names.
const shownNames = 3

func some(names []string) string {
	shown := words.Each(names[:min(len(names), shownNames)], func(name string) string { return name[:min(len(name), maxName)] })
	if more := len(names) - len(shown); more > 0 {
		return strings.Join(shown, ", ") + fmt.Sprintf(" and %d more", more)
	}
	return words.And(shown)
}

// showing returns the call of a runner that runs the tests and prints their names, or "" if no runner is known that could.
func (r Run) showing(names []string) string {
	names = names[:min(len(names), shownNames)]
	for _, n := range names {
		if len(n) > maxName {
			return ""
		}
	}
	for _, k := range known {
		if k.name != r.Runner || k.name == "go" && slices.ContainsFunc(names, func(n string) bool { return !strings.HasPrefix(n, "Test") }) {
			continue
		}
		if k.either == "" {
			names = names[:1]
		}
		return fmt.Sprintf(k.call, words.Shell(strings.Join(names, k.either)))
	}
	return ""
}
