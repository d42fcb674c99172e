package proven

import (
	"slices"

	"tasker/internal/task"
)

// Terms say which runs count for the close of a task. Under the zero terms every run does: those of a person, and of what
// happened elsewhere.
type Terms struct {
	// Holder is whose runs count, by whole name, from the event Since on, with those of everybody who vouches. Empty: everybody's.
	Holder  string
	Since   int64
	Vouches func(actor string) bool
	// Back is the newest return or reopening: what is from before it does not count. Its event is 0 where there is none.
	Back task.SentBack
	// Seen is what the closing command sees: a stale run does not count. Nil: staleness is not asked.
	Seen *Sight
}

// Met is a command of a gate, and the run that meets it.
type Met struct {
	Kind     string `json:"kind"`
	Evidence int64  `json:"evidence"`
}

// Counts is what counts for a gate, and what does not.
type Counts struct {
	Kinds []string          // kinds of evidence that count
	Met   []Met             // of those that are commands, the newest run that counts
	Why   []task.Discounted // why no run of the other commands counts: of several runs, the newest
}

// Asked is what a gate asks for, in which directory of which repository its commands run (see Meets), and on which terms.
type Asked struct {
	Gate  []string
	Dir   string
	Place task.Place
	Terms
}

// Counted returns what counts for a gate on these terms. Of the kinds that a task has evidence of it leaves out commands,
// and adds the gate's own commands that a run among items meets. Items are oldest first.
func Counted(asked Asked, kinds []string, items []task.Evidence) (out Counts) {
	out.Kinds = slices.DeleteFunc(slices.Clone(kinds), task.IsCommand)
	for _, kind := range asked.Gate {
		run, discount := asked.met(kind, items)
		switch {
		case run == nil:
		case discount == "":
			out.Kinds, out.Met = append(out.Kinds, kind), append(out.Met, Met{kind, run.ID})
		default:
			out.Why = append(out.Why, task.Discounted{Kind: kind, Why: discount})
		}
	}
	return out
}

// met returns the newest of the items that is a run of the kind and counts, or else the newest that does not, and why.
func (asked Asked) met(kind string, items []task.Evidence) (run *task.Evidence, discount string) {
	for i, e := range slices.Backward(items) {
		if !task.IsCommand(e.Kind) {
			continue
		}
		r, ok := Parse(e.Value)
		if !ok || !r.Meets(kind, asked.Dir) {
			continue
		}
		why := asked.Discount(e, r)
		if asked.Place.Apart(task.ParsePlace(r.At)) {
			why = elsewhere
		}
		if why == "" {
			return &items[i], ""
		}
		if run == nil {
			run, discount = &items[i], why
		}
	}
	return run, discount
}

// elsewhere is why a run does not count that was made neither in the repository that the project's record keeps nor in a clone
// of it, or, where that was none, in another directory.
const elsewhere = "run in another repository than the project's"

// Discount returns why a run does not count on these terms, in the words of a refusal; "" if it does.
func (t Terms) Discount(e task.Evidence, r Run) string {
	switch {
	case t.Back.Event != 0 && e.ID < t.Back.Event:
		return "before the " + t.Back.Name()
	case t.Holder != "" && !t.by(e):
		return "run by " + e.Actor
	case t.Holder != "" && e.ID < t.Since:
		return "from before " + t.Holder + " held it"
	case t.Seen == nil:
		return ""
	}
	if files, stale := t.Seen.Stale(r); stale {
		return StaleWords(files)
	}
	return ""
}

// by reports whether the run is the holder's, or that of somebody who vouches: not of a human with an agent's rights.
func (t Terms) by(e task.Evidence) bool {
	if e.For == "" && e.Actor == t.Holder || string(e.For) == t.Holder {
		return true
	}
	return e.For == "" && t.Vouches != nil && t.Vouches(e.Actor)
}
