package reading

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/config"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// The reasons that make up an explanation.

// allowed reports whether the domain accepts it. An error that is not a refusal fails the whole explanation.
func (e *explainer) allowed(err error) bool {
	if !fault.Is(err, fault.Declined) {
		e.err = cmp.Or(e.err, err)
	}
	return err == nil
}

func (e *explainer) archived() Reason {
	if e.project.Archived {
		return e.say("project", false, fmt.Sprintf("the project %s is archived", e.project.Slug),
			hint.Advise("bring it back: %s", hint.Restore(e.project.Slug)))
	}
	return e.say("project", true, fmt.Sprintf("the project %s is not archived", e.project.Slug), nil)
}

// claim returns the reason about a live claim; none is the text for no claim.
func (e *explainer) claim(none string, change hint.Advice) Reason {
	if e.t.Claim == nil {
		return e.say("claim", true, none, nil)
	}
	return e.say("claim", false, "it is "+e.t.Claim.String(), change)
}

// hold returns the reason why another actor's claim prevents a move.
func (e *explainer) hold() Reason {
	if err := e.t.CheckHold(e.actor, e.tx.Now()); err != nil {
		f := fault.Of(err)
		return e.say("claim", false, f.Message+", and an agent does not move what another holds", hint.Advice(f.HintParts()))
	}
	if err := e.t.CheckWork(e.actor, e.policy, e.tx.Now()); err != nil {
		f := fault.Of(err)
		return e.say("routing", false, f.Message+", and an agent does not move what it may not hold", hint.Advice(f.HintParts()), e.routing()...)
	}
	return e.say("claim", true, "it is "+e.t.Claim.String(), nil)
}

func (e *explainer) dependencies() Reason {
	n := e.t.OpenDeps
	if n == 0 {
		return e.say("dependencies", true, "everything that it waits for is closed", nil)
	}
	why := fmt.Sprintf("it waits for %d open", n)
	if len(e.waits) > 0 {
		why = fmt.Sprintf("it waits for %s", words.Some(e.waits, n))
	}
	// A claim can be renewed even if a dependency has reopened.
	return e.say("dependencies", false, why, hint.Advise("close or cancel them, or take the dependency out: %s", hint.WithoutDep(e.t.ID)))
}

func (e *explainer) waitsForParts() string {
	switch n := e.t.Parts; {
	case n == 0:
		return "it has no part that is open"
	case len(e.parts) > 0:
		return "it waits for its parts " + words.Some(e.parts, n)
	default:
		return fmt.Sprintf("it waits for %d parts", n)
	}
}

func (e *explainer) questions() Reason {
	open := task.Obstacles{Questions: slices.DeleteFunc(slices.Clone(e.standing.Questions), func(q task.Question) bool {
		return !q.Blocking ||
			q.AnsweredAt != 0
	})}
	open.Unnamed = max(0, e.t.Questions-len(open.Questions))
	return e.say("questions", open.Empty(), either(open, "no blocking question is open"), hint.Advice(open.Advice(e.t.ID, e.actor, e.policy)))
}

// closing returns what a move to done does, given the current status.
func closing(from task.Status) string {
	if from == task.Done {
		return "it is already done; a move to done requires the same again"
	}
	return fmt.Sprintf("it is %s, and every status may move to done", inWords(from))
}

// inWords returns a status as people write it.
func inWords(s task.Status) string { return strings.ReplaceAll(string(s), "_", " ") }

// opening returns how the task becomes open.
func (e *explainer) opening() hint.Advice {
	switch e.t.Status {
	case task.InReview:
		return hint.Advise("send it back: %s", hint.Return(e.t.ID))
	case task.InProgress:
		return hint.Advise("release it, or move it back: %s", hint.Open(e.t.ID))
	default:
		return hint.Advise("reopen it: %s", hint.Reopen(e.t.ID))
	}
}

// routing returns the settings that decide the routing; a field that the task declares needs no setting.
func (e *explainer) routing() []string {
	var keys []string
	if e.t.Autonomy == "" {
		keys = append(keys, "execution.defaultAutonomy")
	}
	if len(e.t.MayExecute) == 0 {
		keys = append(keys, "execution.mayExecute")
	}
	i := slices.IndexFunc(e.settings.Actors, func(a config.Actor) bool { return a.Name == e.actor.Name })
	if i < 0 {
		return append(keys, "actors") // which does not declare this actor
	}
	for _, field := range []string{"kind", "autonomy", "roles", "capabilities"} {
		keys = append(keys, fmt.Sprintf("actors[%d].%s", i, field))
	}
	return keys
}

// say returns a reason. It has a hint only if it is not satisfied, or if it is about routing and the hint says how to
// take the permission away.
func (e *explainer) say(rule string, ok bool, why string, change hint.Advice, keys ...string) Reason {
	r := Reason{Rule: rule, OK: ok, Why: why}
	if !ok || rule == "routing" {
		r.Change = change
	}
	for _, key := range keys {
		x, err := e.settings.Explain(key)
		if err != nil {
			e.err = cmp.Or(e.err, err)
			continue
		}
		set := Setting{Key: key, Value: x.Value, Layer: string(x.Layer), Line: x.Line}
		if x.File != nil {
			set.File = task.Opt(*x.File)
		}
		r.Settings = append(r.Settings, set)
	}
	return r
}

// either returns the obstacles as text, or none.
func either(o task.Obstacles, none string) string {
	if o.Empty() {
		return none
	}
	return "missing: " + words.Some(o.Missing(), len(o.Missing()))
}
