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
}

// Asked is what a gate asks for, in which directory of the repository its commands run (see Meets), and on which terms.
type Asked struct {
	Gate []string
	Dir  string
	Terms
}

// Counted returns the kinds of evidence that count for a gate. Of the kinds that a task has evidence of, it leaves out
// commands, and adds the gate's own commands that a run among items meets on these terms. why says of the other commands
// that have a run why it does not count; of several runs, the newest. Items are oldest first.
func Counted(asked Asked, kinds []string, items []task.Evidence) (out []string, why []task.Discounted) {
	out = slices.DeleteFunc(slices.Clone(kinds), task.IsCommand)
	for _, kind := range asked.Gate {
		ran, discount := asked.met(kind, items)
		switch {
		case ran && discount == "":
			out = append(out, kind)
		case ran:
			why = append(why, task.Discounted{Kind: kind, Why: discount})
		}
	}
	return out, why
}

// met reports whether any of the items is a run of the kind, and why none of these counts; "" if one does.
func (asked Asked) met(kind string, items []task.Evidence) (ran bool, discount string) {
	for _, e := range slices.Backward(items) {
		if !task.IsCommand(e.Kind) {
			continue
		}
		if r, ok := Parse(e.Value); !ok || !r.Meets(kind, asked.Dir) {
			continue
		}
		why := asked.Discount(e)
		if why == "" {
			return true, ""
		}
		if !ran {
			ran, discount = true, why
		}
	}
	return ran, discount
}

// Discount returns why a run does not count on these terms, in the words of a refusal; "" if it does.
func (t Terms) Discount(e task.Evidence) string {
	switch {
	case t.Back.Event != 0 && e.ID < t.Back.Event:
		return "before the " + t.Back.Name()
	case t.Holder == "":
		return ""
	case !t.by(e):
		return "run by " + e.Actor
	case e.ID < t.Since:
		return "from before " + t.Holder + " held it"
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
