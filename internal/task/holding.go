package task

import "slices"

// Discounted is a kind of evidence that a gate asks for, and why no run of it counts.
type Discounted struct {
	Kind string `json:"kind"`
	Why  string `json:"why"`
}

// String returns the kind and the reason, as refusals list them.
func (d Discounted) String() string { return d.Kind + " (" + d.Why + ")" }

// HoldingOf returns under whose holding the actor closes the task, and with which event that holding began. A move to
// review, a release and a lapse end no holding until another actor holds the task. What nobody holds is claimed with the
// close, except by whoever took it to review: such a holding begins after everything that is recorded. A lapsed lease
// must have been read as swept: see At.
func (t *Task) HoldingOf(a Actor) (holder string, since int64) {
	handed := t.Status == InReview || t.Status.Closed()
	switch {
	case t.Claim != nil:
		return t.Claim.Actor, t.HeldSince
	case t.LastHolder == a.Full(), handed && t.LastHolder != "" && actorName(t.LastHolder) == a.Name:
		return t.LastHolder, t.HeldSince
	}
	return a.Full(), Unwritten
}

// RecordedFor returns for whom the actor records a run of the task, where that is not the actor in its own name with all its
// rights: the holder under whose claim it acts, and for a human with an agent's rights nobody else than the name, so that
// such a run does not count as a human's.
func (t *Task) RecordedFor(a Actor) Opt {
	switch {
	case t.Claim != nil && a.Holds(t.Claim) && t.Claim.Actor != a.Full():
		return Opt(t.Claim.Actor)
	case a.Human && !a.Person():
		return Opt(a.Full())
	}
	return ""
}

// For returns the items as the actor records them for the task.
func (t *Task) For(a Actor, items []EvidenceItem) []EvidenceItem {
	out := slices.Clone(items)
	for i := range out {
		out[i].For = t.RecordedFor(a)
	}
	return out
}

// Vouches reports whether a run that somebody of that name recorded counts under everybody's holding: a human's, and that of
// an actor to whom the record gives the role ci.
func (p Policy) Vouches(full string) bool {
	name := actorName(full)
	return slices.Contains(p.CI, name) || slices.ContainsFunc(p.Humans, func(a Actor) bool { return a.Name == name })
}
