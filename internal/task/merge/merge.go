package merge

import (
	"slices"
)

// Pair is what both sides last agreed on: the value here, and the value there.
type Pair struct {
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

// Outcome is what happens to one field.
type Outcome int

// The outcomes.
const (
	Same     Outcome = iota // neither side has changed
	Agreed                  // both sides have the same value now
	Take                    // their value is taken
	Send                    // our value has to be written there
	Conflict                // people decide
)

// Decide returns what happens to a field. base is what both sides agreed on, or nil before the
// first merge: then the owner's value wins.
func Decide(owner Owner, base *Pair, ours, theirs string) Outcome {
	if base == nil {
		switch {
		case ours == theirs:
			return Agreed
		case owner == Tracker:
			return Take
		}
		return Send
	}
	mine, other := ours != base.Ours, theirs != base.Theirs
	switch {
	case !mine && !other:
		return Same
	case ours == theirs:
		return Agreed
	case mine && other:
		return Conflict
	case other && owner == Tracker:
		return Take
	case mine && owner == Local:
		return Send
	}
	return Conflict
}

// Known is what is stored about a binding.
type Known struct {
	Agreed    map[string]Pair
	Conflicts map[string]Disagreement // unresolved ones, by field
	Writes    map[string]Write        // unsent ones, by field
	Tried     map[string][]string     // what we started to write there without learning the outcome
}

// Result is what a merge changes.
type Result struct {
	Agreed    map[string]Pair // new pairs
	Taken     []string        // fields that take their value
	Found     []Disagreement  // new ones (ID 0), and ones whose values have changed
	Settled   []Disagreement  // no longer disagreements
	Planned   []Write         // new ones (ID 0), and ones whose values have changed
	Cancelled []Write         // no longer wanted
	Logged    map[string]Pair // values that were overridden without a base
	Theirs    Values          // as given
	echoed    []string        // fields in which a write of ours turned out to have arrived
	ours      Values
	known     Known
	owner     func(string) (Owner, string)
}

// Empty reports whether nothing changes.
func (r *Result) Empty() bool {
	return len(r.Agreed)+len(r.Taken)+len(r.Found)+len(r.Settled)+len(r.Planned)+len(r.Cancelled) == 0
}

// Merge compares the values of two sides, field by field.
func Merge(owner func(string) (Owner, string), ours, theirs Values, known Known) *Result {
	r := &Result{Agreed: map[string]Pair{}, Logged: map[string]Pair{}, Theirs: theirs, ours: ours, known: known, owner: owner}
	for _, field := range Travelling {
		if _, has := theirs[field]; has {
			r.field(field, ours[field], theirs[field])
		}
	}
	return r
}

func (r *Result) field(field, ours, theirs string) {
	o, why := r.owner(field)
	var base *Pair
	if p, ok := r.known.Agreed[field]; ok {
		base = &p
	}
	if base != nil && theirs != base.Theirs && slices.Contains(r.known.Tried[field], theirs) {
		// Nobody changed it there: our own write arrived although we never got the answer. Later
		// changes made here are compared with it.
		base = &Pair{theirs, theirs}
		r.agree(field, *base)
		r.echoed = append(r.echoed, field)
	}
	switch Decide(o, base, ours, theirs) {
	case Same:
		r.settle(field)
	case Agreed:
		r.settle(field)
		r.agree(field, Pair{ours, theirs})
	case Take:
		r.settle(field)
		r.Taken = append(r.Taken, field)
		r.agree(field, Pair{theirs, theirs})
		if base == nil {
			r.Logged[field] = Pair{ours, theirs}
		}
	case Send:
		if !Writable(field) { // it cannot be written there, so agree to differ
			r.settle(field)
			r.agree(field, Pair{ours, theirs})
			return
		}
		r.end(field)
		if base == nil {
			r.agree(field, Pair{theirs, theirs}) // as if we had changed it since
			r.Logged[field] = Pair{ours, theirs}
			why = "nothing was agreed yet, so ours stands: " + why
		} else {
			why = "changed here: " + why
		}
		r.plan(Write{Field: field, From: theirs, To: ours, Why: why})
	case Conflict:
		if w, ok := r.known.Writes[field]; ok && w.Insisted && w.To == ours && theirs == base.Theirs {
			return // a person has chosen our value
		}
		r.cancel(field)
		r.found(Disagreement{Field: field, Ours: ours, Theirs: theirs, Base: base})
	}
}

// Writable reports whether a tracker lets others write a field.
func Writable(field string) bool { return field != "sprint" && field != "rank" }

func (r *Result) agree(field string, p Pair) {
	if had, ok := r.known.Agreed[field]; !ok || had != p {
		r.Agreed[field] = p
	}
}

// settle ends what is open about a field.
func (r *Result) settle(field string) {
	r.end(field)
	r.cancel(field)
}

func (r *Result) end(field string) {
	if d, ok := r.known.Conflicts[field]; ok {
		r.Settled = append(r.Settled, d)
	}
}

func (r *Result) cancel(field string) {
	if w, ok := r.known.Writes[field]; ok {
		r.Cancelled = append(r.Cancelled, w)
	}
}

func (r *Result) plan(w Write) {
	had, ok := r.known.Writes[w.Field]
	if ok && had.From == w.From && had.To == w.To {
		return
	}
	if ok {
		w.ID = had.ID
	}
	r.Planned = append(r.Planned, w)
}

func (r *Result) found(d Disagreement) {
	had, ok := r.known.Conflicts[d.Field]
	if ok && had.Ours == d.Ours && had.Theirs == d.Theirs {
		return
	}
	if ok {
		d.ID, d.Since = had.ID, had.Since
		if had.State == Deferred {
			d.Since = 0 // found again
		}
	}
	d.State = Open
	r.Found = append(r.Found, d)
}

// WithoutStatus keeps our status because a rule has refused theirs. The next merge tries again.
func (r *Result) WithoutStatus() {
	r.Taken = slices.DeleteFunc(r.Taken, func(f string) bool { return f == "status" })
	delete(r.Agreed, "status")
}
