package reading

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
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
	is := words.Either(e.project.Archived, "is", "is not")
	return e.say("project", !e.project.Archived, fmt.Sprintf("the project %s %s archived", e.project.Slug, is), hint.Advise("%s", core.BringBack(e.project)))
}

// claim returns the reason about a live claim. The holder is asked nothing about its own.
func (e *explainer) claim() Reason {
	c := e.t.Claim
	switch {
	case c == nil:
		return e.say(ruleClaim, true, "nobody holds it", nil)
	case e.mine:
		return e.say(ruleClaim, false, "you hold it", nil)
	}
	return e.say(ruleClaim, false, "it is "+c.String(), hint.Advise("take another (%s), wait, or have its holder or a human release it: %s",
		hint.Next(e.t.Project), hint.Release(e.t.ID)))
}

// hold returns the reason why another actor's claim, or routing, prevents a move.
func (e *explainer) hold() Reason {
	c := e.t.Claim
	switch {
	case e.t.CheckHold(e.actor, e.tx.Now()) != nil:
		return e.claim()
	case e.t.CheckWork(e.actor, e.policy, e.tx.Now()) != nil:
		return e.routed()
	case c == nil:
		return e.say(ruleClaim, true, "nobody holds it", nil)
	case e.mine:
		return e.say(ruleClaim, true, "you hold it", nil)
	}
	return e.say(ruleClaim, true, "it is "+c.String()+", and you may end that claim", nil)
}

// routed returns the reason about who may hold the task.
func (e *explainer) routed() Reason {
	r := e.policy.Route(e.actor, e.t)
	return e.say("routing", r.MayHold, r.Why, hint.Advise("%s", r.WhatWouldChange), e.routing()...)
}

func (e *explainer) dependencies() Reason {
	n := e.t.OpenDeps
	if n == 0 {
		return e.say("dependencies", true, "everything that it waits for is closed", nil)
	}
	why := "it waits for " + words.Count(n, "open task", "open tasks")
	if len(e.waits) > 0 {
		why = "it waits for " + words.Some(e.waits, n)
	}
	// A claim can be renewed even if a dependency has reopened.
	return e.say("dependencies", false, why, hint.Advise("%s first%s", closeThem(n),
		fault.ByHuman(e.t.Project, "", ", or cancel %s, or take the dependency out: %s", them(n), hint.WithoutDep(e.t.ID))))
}

// partsClosed returns the reason about the parts of the task.
func (e *explainer) partsClosed() Reason {
	n := e.t.Parts
	if n == 0 {
		return e.say("parts", true, "it has no open parts", nil)
	}
	why := "it waits for " + words.Count(n, "part", "parts")
	if len(e.parts) > 0 {
		why = "it waits for its " + words.Either(n == 1, "part ", "parts ") + words.Some(e.parts, n)
	}
	return e.say("parts", false, why, hint.Advise("%s first%s: a task comes after its parts", closeThem(n),
		fault.ByHuman(e.t.Project, "", ", or cancel %s", them(n))))
}

func closeThem(n int) string { return "close " + them(n) }

func them(n int) string { return words.Either(n == 1, "it", "them") }

func (e *explainer) questions() Reason {
	open := task.Obstacles{Questions: slices.DeleteFunc(slices.Clone(e.standing.Questions), func(q task.Question) bool {
		return !q.Blocking ||
			q.AnsweredAt != 0
	})}
	open.Unnamed = max(0, e.t.Questions-len(open.Questions))
	return e.met("questions", open, noQuestion)
}

// noQuestion is said where no question is in the way.
const noQuestion = "no blocking question is open"

// met returns the reason of a rule that is met if there are no obstacles of its kind.
func (e *explainer) met(rule string, o task.Obstacles, why string, keys ...string) Reason {
	if missing := o.Missing(); !o.Empty() {
		why = "missing: " + words.Some(missing, len(missing))
	}
	return e.say(rule, o.Empty(), why, e.remove(o), keys...)
}

// remove returns how obstacles are removed.
func (e *explainer) remove(o task.Obstacles) hint.Advice {
	o.Part = true
	return hint.Advice(o.Advice(e.t.ID, e.actor, e.policy))
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
		return hint.Advise("%s", fault.ByHuman(e.t.Project, fault.Have("review it"), "send it back: %s", hint.Return(e.t.ID)))
	case task.InProgress:
		return hint.Advise("move it back: %s", hint.Open(e.t.ID))
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
		r.Change = hint.Advice(fault.Text(change).For(e.reader))
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
