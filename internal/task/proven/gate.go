package proven

import (
	"fmt"
	"slices"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/task"
)

// fits reports whether the run is of the line, and ended with 0. Words count as the line only where a shell would read
// the line as just these words.
func (r Run) fits(line string) bool {
	if r.ExitCode != 0 {
		return false
	}
	if r.Line != "" {
		return task.CommandKind(r.Line) == task.CommandKind(line) // both trimmed
	}
	words, plain := task.CommandWords(line)
	return plain && slices.Equal(words, r.Command)
}

// Meets reports whether the run is what a gate asks for with a kind that is a command: the same line, in the directory of
// the file that declares the gate, with exit code 0. dir is that directory from the root of the repository. It is empty
// where nobody knows it: a gate of the database, a file outside a repository, or a policy that was recorded before records
// had a directory. There a run in any directory counts, because there is nothing to compare it with, and the record says
// where it ran.
func (r Run) Meets(asked, dir string) bool {
	line, ok := task.CommandLine(asked)
	return ok && r.fits(line) && (dir == "" || string(r.Dir) == dir)
}

// Of reports whether the run is of the command that a kind asks for, in whatever directory, and ended with 0.
func (r Run) Of(kind string) bool {
	line, ok := task.CommandLine(kind)
	return ok && r.fits(line)
}

// ShowsLine reports whether the run is of the line that a criterion asks for, and ended with 0. A run in another directory
// of the repository than its root is not of the line; one outside a repository has no directory.
func (r Run) ShowsLine(line string) bool {
	return r.fits(line) && (r.Dir == "" || r.Dir == ".")
}

// Ran reports whether an item of evidence is a run.
func Ran(e task.Evidence) bool {
	_, ok := Parse(e.Value)
	return ok
}

// Asks reports whether a gate asks for a command, so that the values of evidence decide and not only its kinds.
func Asks(gate []string) bool {
	return slices.ContainsFunc(gate, task.IsCommand)
}

// Accepts reports whether a value may be evidence of a kind: where the kind is a command, only a run of it that ended with
// 0. A run record is accepted as it is, no matter who wrote it.
func Accepts(of, value string) bool {
	line, ok := task.CommandLine(of)
	if !ok {
		return true
	}
	r, ran := Parse(value)
	return ran && r.fits(line)
}

// Types reports whether an item of evidence is typed for a kind that is a command, or for one that only looks like one. A
// reader would take it for the run that the gate asks for.
func Types(of, value string) bool {
	return !Accepts(of, value) || task.LikeCommand(of) && !task.IsCommand(of)
}

// CheckRun declines evidence whose kind is a command and whose value is not a run of it. id is the task.
func CheckRun(id task.ID, items []task.EvidenceItem) error {
	for _, e := range items {
		if Types(e.Kind, e.Value) {
			return fault.Decline("evidence %q is a run of that command: it is run, not typed", e.Kind).
				WithMissing("evidence "+e.Kind).WithHint("run it: %s", hint.ProveGate(id))
		}
	}
	return nil
}

// KindFails is the kind of evidence that `tasker prove --again` records about a command that fails now. It proves nothing:
// it says that what the command proved before no longer holds.
const KindFails = "fails"

// Failed reports whether evidence is a run that failed, which proves nothing and answers no return from review.
func Failed(kind, value string) bool {
	if kind != KindFails {
		return false
	}
	r, ok := Parse(value)
	return ok && r.ExitCode != 0
}

// Shows reports whether any of the items shows something: all but runs that failed do.
func Shows(items []task.EvidenceItem) bool {
	return slices.ContainsFunc(items, func(e task.EvidenceItem) bool { return !Failed(e.Kind, e.Value) })
}

// Fallen is a command that was run again for a task and failed, and has not passed since.
type Fallen struct {
	Evidence int64     `json:"evidence"` // of the run that failed
	Command  string    `json:"command"`
	ExitCode int       `json:"exitCode"`
	Commit   task.Opt  `json:"commit"`
	Dirty    bool      `json:"dirty"` // the files were not those of the commit
	Actor    string    `json:"actor"` // who ran it
	At       task.Time `json:"at"`
}

// FallenOf returns the commands whose newest run failed. Items are oldest first; without a run that failed, none is read.
func FallenOf(items []task.Evidence) []Fallen {
	if !slices.ContainsFunc(items, func(e task.Evidence) bool { return e.Kind == KindFails }) {
		return nil
	}
	type place struct{ command, dir string }
	newest, order := map[place]*Fallen{}, []place(nil)
	for _, e := range items {
		r, ok := Parse(e.Value)
		if !ok {
			continue
		}
		at := place{r.Text(), string(r.Dir)}
		if _, known := newest[at]; !known {
			order = append(order, at)
		}
		newest[at] = nil
		if Failed(e.Kind, e.Value) {
			newest[at] = &Fallen{Evidence: e.ID, Command: r.Text(), ExitCode: r.ExitCode, Commit: r.Commit, Dirty: r.Dirty, Actor: e.Actor, At: e.At}
		}
	}
	var out []Fallen
	for _, at := range order {
		if f := newest[at]; f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// Words says that the command no longer holds.
func (f Fallen) Words() string {
	said := fmt.Sprintf("the proof no longer holds: %s ended with exit code %d", f.Command, f.ExitCode)
	if f.Commit != "" {
		said += " " + onCommit(f.Commit, f.Dirty)
	}
	return said + ", run by " + f.Actor
}
