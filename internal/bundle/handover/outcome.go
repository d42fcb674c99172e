package handover

import (
	"fmt"
	"slices"
	"strings"

	"tasker/internal/bundle"
	"tasker/internal/store"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Limits of what a bundle says about how its dependencies ended.
const (
	maxOutcomes  = 20  // dependencies whose notes and decisions are read
	maxDecisions = 3   // the newest decisions per dependency
	maxSaid      = 300 // characters of a note, a decision or its reason
)

// outcomes returns the dependencies of a task, with how each closed one ended: who closed it, the last note, and the
// decisions. A worker that builds on a dependency would otherwise look that up in the other task.
func outcomes(tx store.View, briefs []bundle.Brief, deps []*task.Task) ([]bundle.Dep, error) {
	out := make([]bundle.Dep, len(briefs))
	read := 0
	for i, b := range briefs {
		out[i] = bundle.Dep{ID: b.ID, Title: b.Title, Status: b.Status}
		d := deps[i]
		if !d.Status.Closed() {
			continue
		}
		lines := []string{ended(d)}
		if d.Notes+d.Decisions > 0 && read < maxOutcomes {
			read++
			said, err := saidOf(tx, d)
			if err != nil {
				return nil, err
			}
			lines = append(lines, said...)
		}
		out[i].Outcome = task.Opt(strings.Join(lines, "\n"))
	}
	return out, nil
}

// ended says how a task was closed.
func ended(t *task.Task) string {
	switch {
	case t.Recorded:
		return "recorded as " + string(t.Status)
	case t.ClosedBy == "":
		return string(t.Status)
	}
	return fmt.Sprintf("%s by %s", t.Status, t.ClosedBy)
}

// saidOf returns the newest note of a task and its newest decisions, one line each.
func saidOf(tx store.View, t *task.Task) (out []string, err error) {
	if t.Notes > 0 {
		notes, err := tx.Notes(t.ID, 1)
		if err != nil {
			return nil, err
		}
		for _, n := range notes {
			out = append(out, "noted: "+line(n.Text))
		}
	}
	if t.Decisions > 0 {
		decisions, err := tx.Decisions(t.ID, maxDecisions)
		if err != nil {
			return nil, err
		}
		for _, d := range slices.Backward(decisions) {
			text := "decided: " + line(d.Title)
			if d.Rationale != "" {
				text += ", because " + line(string(d.Rationale))
			}
			out = append(out, text)
		}
	}
	return out, nil
}

// line returns text on one line, cut to size.
func line(text string) string { return words.Cut(strings.Join(strings.Fields(text), " "), maxSaid) }
