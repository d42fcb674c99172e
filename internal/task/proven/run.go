// Package proven reads and writes evidence from commands that were run: how a command ended, and on which files.
package proven

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Run is evidence of a command that tasker itself ran: the value that `tasker prove` writes. Only a command that ended
// with 0 proves something; a run that repeats one and fails is recorded under KindFails. It has either the words of a
// program and its arguments, or the line that a shell ran, so that it can be run again as it stands.
type Run struct {
	Command    []string `json:"command,omitzero"`
	Line       string   `json:"line,omitzero"`
	Dir        task.Opt `json:"dir"`         // where it ran, from the root of the repository, with slashes; null outside a repository
	At         string   `json:"at,omitzero"` // the task.Place in which it ran, where it is of a gate's line
	ExitCode   int      `json:"exitCode"`
	DurationMs int64    `json:"durationMs"`
	Commit     task.Opt `json:"commit"` // null outside a repository, and before the first commit
	Tree       task.Opt `json:"tree"`   // what it ran on: all files that git tracks or would track, as they were
	Dirty      bool     `json:"dirty"`  // the tree is not the commit's
	Output     string   `json:"outputSha256"`
	Bytes      int64    `json:"outputBytes"`
	Idle       string   `json:"testedNothing,omitzero"` // what its runner printed, where that says that no test ran

	Runner  string   `json:"runner,omitzero"` // of tests, where it is one that we know
	Passed  *int     `json:"passed,omitzero"` // tests, where the runner counts them
	Skipped *int     `json:"skipped,omitzero"`
	Tests   []Sought `json:"tests,omitzero"` // that criteria of the task named when it ran
}

// Value returns the value of the item of evidence.
func (r Run) Value() (string, error) {
	src, err := json.Marshal(r, json.Deterministic(true))
	return string(src), err
}

// Parse reads the value of an item of evidence. It returns false for a value that `tasker prove` did not write. A run from
// before runs had a directory has none.
func Parse(value string) (Run, bool) {
	var r Run
	if len(value) == 0 || value[0] != '{' || json.Unmarshal([]byte(value), &r, json.RejectUnknownMembers(true)) != nil {
		return Run{}, false
	}
	return r, (len(r.Command) > 0) != (r.Line != "") && len(r.Output) == 64
}

// Text returns the command on one line, so that it can be pasted into a shell: words that need quotes have them.
func (r Run) Text() string {
	return cmp.Or(r.Line, strings.Join(words.Each(r.Command, words.Shell), " "))
}

// Words returns a run in one line: its command, whether it failed, how long it took, on which commit, and whether it
// tested nothing.
func (r Run) Words() string { return r.Text() + ", " + r.facts("") }

// InFull is Words, and says the tree too.
func (r Run) InFull() string { return r.Text() + ", " + r.Facts() }

// Facts returns what is known about a run besides its command: whether it failed, how long it took, on which commit and
// tree, and whether it tested nothing.
func (r Run) Facts() string {
	if r.Tree == "" {
		return r.facts("")
	}
	return r.facts(", tree " + short(r.Tree))
}

func (r Run) facts(tree string) string {
	said := (time.Duration(r.DurationMs) * time.Millisecond).String()
	if r.ExitCode != 0 {
		said = "failed with exit code " + strconv.Itoa(r.ExitCode) + ", " + said
	}
	if r.Commit != "" {
		said += ", " + onCommit(r.Commit, r.Dirty)
	}
	said += tree
	if r.Passed != nil && r.Skipped != nil {
		said += fmt.Sprintf(", %d passed", *r.Passed) + words.When(*r.Skipped > 0, fmt.Sprintf(", %d skipped", *r.Skipped))
	}
	if r.Idle != "" {
		said += ", tested nothing: it printed " + strconv.Quote(r.Idle)
	}
	return said
}

// onCommit says on which commit something ran, and whether the files were not those of the commit.
func onCommit(commit task.Opt, dirty bool) string {
	said := "on commit " + short(commit)
	if dirty {
		said += " with changes"
	}
	return said
}

// short returns as much of a hash as people write.
func short(hash task.Opt) string {
	const length = 12
	return string(hash[:min(len(hash), length)])
}
