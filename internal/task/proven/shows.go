package proven

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// A command that succeeds proves something only if it is the right command: `true` succeeds too.

// enough is how many earlier runs of a kind establish what such a run looks like.
const enough = 3

// NotShown returns why a run does not prove a criterion, or "": what it returns keeps the tick back, while a Doubt comes
// with it. The criterion's text, or else the task's body, may name commands in backticks; earlier are runs of the same kind
// in the project. A criterion that is a command itself is shown by a run of it alone.
func NotShown(r Run, criterion, body string, earlier []Run) string {
	line := r.Text()
	if asked, ok := (task.Criterion{Text: criterion}).Line(); ok && !r.ShowsLine(asked) {
		return fmt.Sprintf("`%s` ran%s, and the criterion asks for `%s`", line, words.When(r.fits(asked), " in "+string(r.Dir)), asked)
	} else if ok && r.Idle == "" {
		return ""
	}
	if r.Idle != "" {
		return fmt.Sprintf("`%s` tested nothing: it printed %q", line, r.Idle)
	}
	named := commands(criterion)
	if named == nil {
		named = commands(body)
	}
	for _, want := range named {
		if strings.Contains(unquoted(line), unquoted(want)) {
			return ""
		}
	}
	if named != nil {
		return fmt.Sprintf("`%s` ran, and the task names `%s`", line, named[0])
	}
	if len(earlier) < enough || slices.ContainsFunc(earlier, func(e Run) bool { return program(e) == program(r) }) {
		return ""
	}
	return fmt.Sprintf("`%s` ran, and %d earlier runs of this kind here were another command, such as `%s`", line, len(earlier), earlier[0].Text())
}

// MayShow reports whether a run of each command of a gate would show a criterion that is no command itself, as far as its text
// and the task's body tell.
func MayShow(gate []string, criterion, body string) bool {
	return !slices.ContainsFunc(gate, func(kind string) bool {
		line, ok := task.CommandLine(kind)
		return ok && NotShown(Run{Line: line}, criterion, body, nil) != ""
	})
}

// unquoted returns a command without what a shell removes: a run has the words, while a text has them as they are
// typed.
func unquoted(line string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("'", "", `"`, "", `\`, "").Replace(line)), " ")
}

// program returns the program that a run started.
func program(r Run) string {
	if len(r.Command) > 0 {
		return path.Base(r.Command[0])
	}
	first, _, _ := strings.Cut(strings.TrimSpace(r.Line), " ")
	return path.Base(first)
}

// command matches what looks like a command: a program, and a word that starts like a word of a command.
var command = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._/-]+ +[A-Za-z0-9._/'"$-]`) })

// commands returns the texts in backticks that look like commands: a program, and at least one more word.
func commands(text string) (out []string) {
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 && command().MatchString(part) {
			out = append(out, part)
		}
	}
	return out
}

// BasisOf returns what a tick of a criterion that names this evidence rests on. It declines a run that failed, which shows
// nothing. Where the criterion is a command, a run of anything else is no more than something that was said.
func BasisOf(e task.Evidence, c task.Criterion) (task.Basis, error) {
	on := task.Basis{By: task.EvidenceID(e.ID), Rests: task.RestsOnSaid}
	if r, ok := Parse(e.Value); ok {
		if line, asked := c.Line(); !asked || r.ShowsLine(line) {
			on.Rests = task.RestsOnRun
		}
		on.Doubt = Doubt(r, c.Text)
		if r.ExitCode != 0 {
			return task.Basis{}, fault.Decline("evidence %d of %s is a run that failed, and shows nothing", e.ID, e.Task).
				WithHint("name evidence that shows it: %s", hint.Show(e.Task))
		}
	}
	return on, nil
}

// references are the kinds of evidence that name something to look at and cannot be run.
var references = []string{"commit", "pull_request", "checks"}

// Typed returns the kinds whose newest item was typed, not run. Items are oldest first. Kinds without items were
// overridden and are not included.
func Typed(kinds []string, items []task.Evidence) (out []string) {
	for _, kind := range kinds {
		if slices.Contains(references, kind) || slices.Contains(out, kind) {
			continue
		}
		for _, e := range slices.Backward(items) {
			if e.Kind != kind {
				continue
			}
			if _, ran := Parse(e.Value); !ran {
				out = append(out, kind)
			}
			break
		}
	}
	return out
}
