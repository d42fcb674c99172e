package task

import (
	"fmt"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/text/words"
)

// bound reports whether the rules for closings by agents count: in a project that declares a human, agents close only
// what they could have claimed, and a human closes what is supervised.
func (p Policy) bound(a Actor) bool { return p.DeclaresHuman && !a.Person() }

// Closing is what keeps a task from being closed by an agent in a project that declares a human, although nothing that
// the task asks for is missing. No override passes over any of it.
type Closing struct {
	Deps         []*Task // open ones of a task that the agent would have to claim first
	UnnamedDeps  int
	Barred       *Bar   // human_only, or what mayExecute takes; nil if routing allows it
	Taken        string // why it is not the agent's to close: another actor took it to its status
	Parts        []*Task
	UnnamedParts int
	Supervised   bool
	Returned     string // why it was sent back from review; nothing was ticked or shown since
}

// closingFor returns what the rules for closings by agents find against a move to done. They ask nothing of humans, nor
// in a project that declares none.
func (t *Task) closingFor(a Actor, p Policy, s Standing) Closing {
	var c Closing
	if !p.bound(a) {
		return c
	}
	c.unclaimable(t, a, p, s)
	c.Parts, c.UnnamedParts = listed(s.Parts, (*Task).awaited, t.Parts)
	c.Supervised = p.EffectiveAutonomy(t.Autonomy, a) == Supervised
	if t.Returned != 0 {
		if c.Returned = s.ReturnedWhy; c.Returned == "" {
			c.Returned = "it was sent back from review"
		}
	}
	return c
}

// unclaimable adds why the agent could not claim the task. Nothing is asked of its holder. From review and from done no
// claim is asked of the actor that moved the task there; what it waits for counts nevertheless, unless that actor held
// it: otherwise a detour by review would pass over dependencies.
func (c *Closing) unclaimable(t *Task, a Actor, p Policy, s Standing) {
	c.Barred = p.barred(a, t.Autonomy, t.MayExecute)
	if a.Holds(t.Claim) {
		return
	}
	switch t.Status {
	case InReview:
		c.Taken = taken(a, t.ReviewBy, "in_review: %s moved it there")
	case Done:
		c.Taken = taken(a, t.ClosedBy, "done: %s closed it")
	case Cancelled:
		c.Taken = "cancelled: it has to be reopened first"
	case Open, InProgress:
	}
	if (t.Status == InReview || t.Status == Done) && actorName(t.LastHolder) == a.Name {
		return
	}
	c.Deps, c.UnnamedDeps = listed(s.Deps, (*Task).stillOpen, t.OpenDeps)
}

// taken returns the words for a status that another actor moved the task to, and none if the actor did.
func taken(a Actor, by, format string) string {
	if actorName(by) == a.Name {
		return ""
	}
	if by == "" {
		by = "another actor"
	}
	return fmt.Sprintf(format, by)
}

func (t *Task) stillOpen() bool { return !t.Status.Closed() }

// awaited is Part for a child that was read without its parent.
func (t *Task) awaited() bool { return !t.Status.Closed() && !t.InCircle }

// listed returns the tasks that count, and how many more there are. The record's own count decides, so that a caller who
// did not load them cannot bypass them.
func listed(loaded []*Task, counts func(*Task) bool, n int) (some []*Task, more int) {
	for _, t := range loaded {
		if counts(t) && len(some) < n {
			some = append(some, t)
		}
	}
	return some, n - len(some)
}

// Empty reports whether nothing is in the way.
func (c Closing) Empty() bool {
	return len(c.Deps) == 0 && c.UnnamedDeps == 0 && c.Barred == nil && c.Taken == "" && len(c.Parts) == 0 && c.UnnamedParts == 0 &&
		!c.Supervised && c.Returned == ""
}

// How many characters a refusal shows of the title of another task, and of why a task was sent back.
const (
	maxTitle    = 100
	maxReturned = 200
)

// Missing lists what is in the way, in the order of the contract.
func (c Closing) Missing() []string {
	var out []string
	tasks := func(what, several string, some []*Task, more int) {
		for _, t := range some {
			out = append(out, fmt.Sprintf("%s %s: %s (%s)", what, t.ID, words.Cut(t.Title, maxTitle), t.Status))
		}
		if more > 0 {
			out = append(out, what+": "+words.Count(more, "open one", several))
		}
	}
	tasks("dependency", "open ones", c.Deps, c.UnnamedDeps)
	if c.Barred != nil {
		out = append(out, c.Barred.Missing)
	}
	if c.Taken != "" {
		out = append(out, c.Taken)
	}
	tasks("part", "open ones", c.Parts, c.UnnamedParts)
	if c.Supervised {
		out = append(out, "supervised: a human closes it, from in_review")
	}
	if c.Returned != "" {
		out = append(out, "returned: "+words.Cut(c.Returned, maxReturned))
	}
	return out
}

// because sums up what is in the way.
func (c Closing) because() (parts []string) {
	if n := len(c.Deps) + c.UnnamedDeps; n > 0 {
		parts = append(parts, words.Count(n, "open dependency", "open dependencies"))
	}
	if c.Barred != nil {
		parts = append(parts, "its routing")
	}
	if c.Taken != "" {
		parts = append(parts, "its status")
	}
	if n := len(c.Parts) + c.UnnamedParts; n > 0 {
		parts = append(parts, words.Count(n, "open part", "open parts"))
	}
	if c.Supervised {
		parts = append(parts, "its autonomy, which is supervised")
	}
	if c.Returned != "" {
		parts = append(parts, "its return from review")
	}
	return parts
}

// advise says what to do about each.
func (c Closing) advise(id ID, add func(fault.Text)) {
	say := func(format string, args ...any) { add(fault.Parts(format, args...)) }
	if len(c.Deps)+c.UnnamedDeps > 0 {
		say("close what it waits for first (%s)", hint.Explain(id))
	}
	if c.Barred != nil {
		add(c.Barred.advice(id.project()))
	}
	if c.Taken != "" {
		say("leave it to %s, or to the actor that moved it there", aHuman(id))
	}
	if len(c.Parts)+c.UnnamedParts > 0 {
		say("close its parts first (%s)", hint.Children(id))
	}
	if c.Supervised {
		say("take it to review, and %s closes it (%s)", aHuman(id), hint.Review(id))
	}
	if c.Returned != "" {
		say("do what the return asks for, then record what shows it (%s)", hint.Evidence(id, "fix"))
	}
}

// aHuman stands for the humans of a task's project in a hint, by name where agents read it.
func aHuman(id ID) fault.Human { return fault.ByHuman(id.project(), fault.Humans, "a human") }

// checkCancel refuses an agent, in a project that declares a human, who would cancel what it does not hold and could not
// claim, or what has a gate, an open part, or is supervised: that would be a way around them.
func (t *Task) checkCancel(a Actor, p Policy, s Standing) error {
	if !p.bound(a) || t.Status == Cancelled {
		return nil
	}
	var c Closing
	c.unclaimable(t, a, p, s)
	switch {
	case a.Holds(t.Claim):
	case t.Status == InReview:
		c.Taken = "in_review: it waits for a reviewer"
	case t.Status == Done:
		c.Taken = "done: it is finished"
	}
	c.Parts, c.UnnamedParts = listed(s.Parts, (*Task).awaited, t.Parts)
	c.Supervised = p.EffectiveAutonomy(t.Autonomy, a) == Supervised
	o := Obstacles{Closing: c}
	if !a.Holds(t.Claim) {
		o.askedOf(t, s)
	}
	missing := o.Missing()
	if t.Gate != "" {
		missing = append(missing, "gate "+string(t.Gate)+": an agent does not cancel what has one")
	}
	if len(missing) == 0 {
		return nil
	}
	return fault.Decline("%s is not for %s to cancel", t.ID, a.inSentence()).WithMissing(missing...).
		WithHint("say why it should go, and %s decides: %s", aHuman(t.ID), hint.Ask(t.ID))
}
