package proven

import (
	"fmt"

	"tasker/internal/task"
)

// KindFails is the kind of evidence that `tasker prove --again` records of a command that fails by now. It proves nothing:
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
	for _, e := range items {
		if !Failed(e.Kind, e.Value) {
			return true
		}
	}
	return false
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
	some := false
	for _, e := range items {
		some = some || e.Kind == KindFails
	}
	if !some {
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
		said += " on " + string(f.Commit[:min(len(f.Commit), shortHash)])
		if f.Dirty {
			said += " with changes"
		}
	}
	return said + ", run by " + f.Actor
}
