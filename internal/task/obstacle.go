package task

import (
	"fmt"
	"slices"
	"strconv"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/text/words"
)

// Obstacles is everything that keeps a task from being done.
type Obstacles struct {
	Criteria  []Criterion // unchecked
	Gate      string      // named by the task but not defined anywhere
	Evidence  []string    // kinds that the gate asks for
	Approvals []Requirement
	Note      bool // one is required but missing
	Questions []Question
	Unnamed   int      // further open blocking questions
	Record    []string // what only the policy of record asks for, as refusals list it
	Closing   Closing  // what the rules for closings by agents find
}

// ObstaclesFor returns what keeps the actor from moving the task to done: what the task asks for, and, for an agent in a
// project that declares a human, what the policy of record and the rules for closings ask in addition. A lapsed lease
// must have been read as swept: see At.
func (t *Task) ObstaclesFor(a Actor, p Policy, s Standing) Obstacles {
	o := t.Obstacles(p, s)
	o.Record = s.Record
	o.Closing = t.closingFor(a, p, s)
	return o
}

// Obstacles returns what keeps the task from being done under a policy.
func (t *Task) Obstacles(p Policy, s Standing) Obstacles {
	var o Obstacles
	for _, c := range t.Criteria {
		if !c.Checked {
			o.Criteria = append(o.Criteria, c)
		}
	}
	missing, defined := p.MissingEvidence(t.Gate, s.Evidence)
	o.Evidence = missing
	if !defined {
		o.Gate = string(t.Gate)
	}
	o.Approvals = MissingApprovals(p.Required(t), s.Approvals)
	o.Note = p.RequireNoteOnDone && s.Notes == 0 && t.Notes == 0
	o.askedOf(t, s)
	return o
}

// askedOf adds the open blocking questions. The record's own count decides, so that a caller who did not load the
// questions cannot bypass them.
func (o *Obstacles) askedOf(t *Task, s Standing) {
	for _, q := range s.Questions {
		if q.Blocking && q.AnsweredAt == 0 {
			o.Questions = append(o.Questions, q)
		}
	}
	o.Unnamed = max(0, t.Questions-len(o.Questions))
}

// Forced returns the obstacles that remain after an override, and a list of the ones it passes over: unchecked
// criteria, and missing evidence if evidence is set. It never passes over approvals, the note, a question, an
// undefined gate, what the policy of record asks of an agent, or the rules for closings by agents.
func (o Obstacles) Forced(force, evidence bool) (left Obstacles, passed []string) {
	if !force {
		return o, nil
	}
	over := Obstacles{Criteria: o.Criteria}
	o.Criteria = nil
	if evidence {
		over.Evidence, o.Evidence = o.Evidence, nil
	}
	return o, over.Missing()
}

// Empty reports whether nothing is in the way.
func (o Obstacles) Empty() bool {
	return len(o.Criteria) == 0 && o.Gate == "" && len(o.Evidence) == 0 && len(o.Approvals) == 0 && !o.Note &&
		len(o.Questions) == 0 && o.Unnamed == 0 && len(o.Record) == 0 && o.Closing.Empty()
}

// requests returns the approvals to ask for: none while anything else is missing, because nobody is asked to approve
// unfinished work.
func (o Obstacles) requests() []Requirement {
	approvals := o.Approvals
	if o.Approvals = nil; !o.Empty() {
		return nil
	}
	return approvals
}

// Missing lists every obstacle in the order of the contract: criteria, evidence, approvals, the note, questions, what the
// policy of record asks for, and what the rules for closings by agents find.
func (o Obstacles) Missing() []string {
	var out []string
	for _, c := range o.Criteria {
		out = append(out, c.missing())
	}
	if o.Gate != "" {
		out = append(out, "gate "+o.Gate+": it is defined nowhere")
	}
	for _, k := range o.Evidence {
		out = append(out, "evidence "+k)
	}
	for _, r := range o.Approvals {
		out = append(out, r.String())
	}
	if o.Note {
		out = append(out, "note: at least one on the task")
	}
	for _, q := range o.Questions {
		out = append(out, fmt.Sprintf("question %d: %s", q.ID, q.Brief()))
	}
	if o.Unnamed > 0 {
		out = append(out, "question: "+words.Count(o.Unnamed, "open blocking one", "open blocking ones"))
	}
	out = append(out, o.Record...)
	return append(out, o.Closing.Missing()...)
}

// refusal returns the refusal of a move to done. Routing keeps its own sentence, unless criteria are unchecked.
func (o Obstacles) refusal(id ID, a Actor, p Policy) error {
	parts := o.hint(id, a, p, o.override(id, a, p))
	if bar := o.Closing.Barred; bar != nil && len(o.Criteria) == 0 {
		return bar.fault(string(id), id.project(), a).WithMissing(o.Missing()...).WithParts(parts)
	}
	return fault.Decline("%s cannot complete because of %s", id, o.because()).WithMissing(o.Missing()...).WithParts(parts)
}

// Advice returns what the actor can do about the obstacles. Unlike the hint of a refused completion, it tells an agent
// next to declared humans nothing about an override.
func (o Obstacles) Advice(id ID, a Actor, p Policy) fault.Text {
	return o.hint(id, a, p, fault.Parts("%s", fault.Human{In: id.project(), How: o.override(id, a, p)}))
}

// AfterApproval returns what to do next about a task that was just approved. A gate that asks for evidence of a review
// is easily mistaken for one that asks for an approval, so that is said.
func (o Obstacles) AfterApproval(t *Task, a Actor, p Policy) fault.Text {
	if o.Empty() {
		return fault.Parts("close it: %s", hint.Done(t.ID))
	}
	kind := slices.IndexFunc(o.Evidence, func(kind string) bool { return slices.Contains(judgements, kind) })
	if kind < 0 {
		return o.Advice(t.ID, a, p)
	}
	said := fault.Parts("the gate %s asks for evidence of the kind %s, and an approval is none: add it (%s)",
		t.Gate, o.Evidence[kind], hint.TypedEvidence(t.ID, o.Evidence[kind]))
	if o.Evidence = slices.Delete(slices.Clone(o.Evidence), kind, kind+1); o.Empty() {
		return said
	}
	return slices.Concat(said, fault.Text{{Text: "; "}}, o.Advice(t.ID, a, p))
}

// judgements are kinds of evidence that sound like an approval.
var judgements = []string{"review", KindApproval, KindVerification}

// override returns how unchecked criteria and missing evidence can be passed over, and by whom.
func (o Obstacles) override(id ID, a Actor, p Policy) fault.Text {
	if len(o.Evidence) > 0 && !mayPassEvidence(a, p) {
		return fault.Parts(", or have %s force the override, which is logged", p.AnyHuman())
	}
	return fault.Parts(", or force the override, which is logged (%s)", hint.Force(id))
}

// because sums up the obstacles. While criteria are unchecked it mentions only them, as clients expect.
func (o Obstacles) because() string {
	if n := len(o.Criteria); n > 0 {
		return strconv.Itoa(n) + " unchecked criteria"
	}
	var parts []string
	if o.Gate != "" {
		parts = append(parts, "the undefined gate "+o.Gate)
	}
	if n := len(o.Evidence); n > 0 {
		parts = append(parts, words.Count(n, "missing kind", "missing kinds")+" of evidence")
	}
	if n := len(o.Approvals); n > 0 {
		parts = append(parts, words.Count(n, "missing approval", "missing approvals"))
	}
	if o.Note {
		parts = append(parts, "a missing note")
	}
	if n := len(o.Questions) + o.Unnamed; n > 0 {
		parts = append(parts, words.Count(n, "open blocking question", "open blocking questions"))
	}
	if n := len(o.Record); n > 0 {
		parts = append(parts, words.Count(n, "requirement", "requirements")+" of the policy of record")
	}
	return words.And(append(parts, o.Closing.because()...))
}

// hint returns what to do about each kind of obstacle.
func (o Obstacles) hint(id ID, a Actor, p Policy, override fault.Text) fault.Text {
	var parts fault.Text
	add := func(text fault.Text) {
		if parts != nil {
			parts = append(parts, fault.Part{Text: "; "})
		}
		parts = append(parts, text...)
	}
	say := func(format string, args ...any) { add(fault.Parts(format, args...)) }
	if o.Gate != "" {
		say("%s", fault.ByHuman(id.project(), fault.Have("define the gate "+o.Gate),
			"define the gate %s (gates in .tasker.json or in an applied document), or change the task's gate", o.Gate))
	}
	if len(o.Criteria) > 0 {
		say("tick each criterion once it is true (%s)", hint.Check(id, o.indexes()))
	}
	run, typed := o.evidence()
	if run {
		say("run what the gate asks for (%s)", hint.ProveGate(id))
	}
	switch {
	case typed == "":
	case !slices.Contains(judgements, typed):
		say("add the evidence (%s)", hint.Evidence(id, typed))
	case a.Person():
		say("look at it, and add the evidence (%s)", hint.TypedEvidence(id, typed))
	default:
		say("have %s look at it and add the evidence (%s)", p.AnyHuman(), hint.TypedEvidence(id, typed))
	}
	if len(o.Criteria)+len(o.Evidence) > 0 {
		parts = append(parts, override...)
	}
	var said []string
	for _, r := range o.Approvals {
		text := r.Advice(id, a, p)
		if line := text.In(fault.Call.String); !slices.Contains(said, line) && len(said) < maxHinted {
			said = append(said, line)
			add(text)
		}
	}
	if o.Note {
		say("add a note (%s)", hint.Note(id))
	}
	for i := range o.Questions[:min(len(o.Questions), maxHinted)] {
		q, it := &o.Questions[i], "it"
		if len(o.Questions) > 1 {
			it = fmt.Sprintf("question %d", q.ID)
		}
		add(q.answering(a, it))
	}
	if len(o.Questions) == 0 && o.Unnamed > 0 {
		say("have each question answered (%s lists them)", hint.Show(id))
	}
	if len(o.Record) > 0 {
		say("meet what the policy of record asks for, which the file here does not say, or leave the task to %s", aHuman(id))
	}
	o.Closing.advise(id, add)
	return parts
}

// evidence reports whether a command is among the missing kinds of evidence, and returns the first that is none.
func (o Obstacles) evidence() (run bool, other string) {
	for _, k := range o.Evidence {
		if _, ok := CommandLine(k); ok {
			run = true
		} else if other == "" {
			other = k
		}
	}
	return run, other
}

// indexes returns the first few unchecked criteria.
func (o Obstacles) indexes() []int {
	const limit = 10
	out := make([]int, 0, limit)
	for _, c := range o.Criteria[:min(limit, len(o.Criteria))] {
		out = append(out, c.Index)
	}
	return out
}
