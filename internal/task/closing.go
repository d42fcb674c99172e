package task

import (
	"fmt"
	"slices"
	"strconv"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// bound reports whether the rules for closings by agents count: in a project that declares a human, agents close only
// what they could have claimed, and a human closes what is supervised.
func (p Policy) bound(a Actor) bool { return p.DeclaresHuman && !a.Person() }

// Closing lists what blocks an agent's close in a project that declares a human, although nothing that the task asks for
// is missing. No override passes over any of it.
type Closing struct {
	Deps         []*Task // open ones of a task that the agent would have to claim first
	UnnamedDeps  int
	Barred       *Bar   // human_only, or what mayExecute takes; nil if routing allows it
	Taken        string // why it is not the agent's to close: another actor took it to its status
	Parts        []*Task
	UnnamedParts int
	Supervised   bool
	ByRecord     bool      // only the policy of record makes it supervised
	SentBack     *SentBack // that nothing newer than it answers
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
	c.supervised(t, a, p)
	if t.Returned != 0 {
		c.SentBack = &s.SentBack
	}
	return c
}

// supervised adds that a human closes the task.
func (c *Closing) supervised(t *Task, a Actor, p Policy) {
	c.Supervised = p.EffectiveAutonomy(t.Autonomy, a) == Supervised
	c.ByRecord = c.Supervised && p.supervisedByRecord(t.Autonomy, a)
}

// unclaimable adds why the agent could not claim the task. Nothing is asked of its holder. From review and from done no
// claim is asked of the actor that moved the task there; what it waits for counts nevertheless: otherwise a detour by
// review would pass over a dependency that was reopened.
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
		!c.Supervised && c.SentBack == nil
}

// How many characters a refusal shows of the title of another task, and of why a task was sent back.
const (
	maxTitle    = 100
	maxReturned = 200
)

// reason is one thing that is in the way: as refusals list it, in a few words, and what to do about it.
type reason struct {
	missing []string
	because string
	advice  fault.Text
}

// reasons lists what is in the way of a task, in the order of the contract.
func (c Closing) reasons(id ID) (out []reason) {
	if c.Empty() {
		return nil
	}
	add := func(because string, advice fault.Text, missing ...string) {
		out = append(out, reason{missing, because, advice})
	}
	tasks := func(what, because, several string, some []*Task, more int, advice fault.Text) {
		missing := words.Each(some, func(t *Task) string {
			return fmt.Sprintf("%s %s: %s (%s)", what, t.ID, words.Cut(t.Title, maxTitle), t.Status)
		})
		if more > 0 {
			missing = append(missing, what+": "+words.Count(more, "open one", "open ones"))
		}
		if len(missing) > 0 {
			add(words.Count(len(some)+more, because, several), advice, missing...)
		}
	}
	tasks("dependency", "open dependency", "open dependencies", c.Deps, c.UnnamedDeps, fault.Parts("close what it waits for first (%s)", hint.Explain(id)))
	if c.Barred != nil {
		add("its routing", c.Barred.advice(id.project()), c.Barred.Missing)
	}
	if c.Taken != "" {
		add("its status", fault.Parts("leave it to %s, or to the actor that moved it there", aHuman(id)), c.Taken)
	}
	tasks("part", "open part", "open parts", c.Parts, c.UnnamedParts, fault.Parts("close its parts first (%s)", hint.Children(id)))
	if c.Supervised {
		add("its autonomy, which is supervised", fault.Parts("take it to review, and %s closes it (%s)", aHuman(id), hint.Review(id)),
			"supervised: a human closes it, from in_review"+words.When(c.ByRecord, byRecord))
	}
	if back := c.SentBack; back != nil {
		add(words.Either(back.Reopened, "its reopening", "its return from review"),
			fault.Parts("do what the "+back.Name()+" asks for, then record what shows it (%s)", hint.Evidence(id, "fix")), back.said())
	}
	return out
}

// Missing lists what is in the way, in the order of the contract.
func (c Closing) Missing() []string {
	var out []string
	for _, r := range c.reasons("") {
		out = append(out, r.missing...)
	}
	return out
}

// aHuman stands for the humans of a task's project in a hint, by name where agents read it.
func aHuman(id ID) fault.Human { return fault.ByHuman(id.project(), fault.Humans, "a human") }

// checkCancel refuses to let an agent, in a project that declares a human, cancel what it does not hold and could not
// claim, or what has a gate or an open part or is supervised: that would be a way around those rules.
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
	c.supervised(t, a, p)
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

// Obstacles is everything that keeps a task from being done.
type Obstacles struct {
	Criteria  []Criterion  // unchecked
	Gate      string       // named by the task but not defined anywhere
	Evidence  []string     // kinds that the gate asks for
	Why       []Discounted // why runs of these kinds, which there are, do not count
	Approvals []Requirement
	Note      bool // one is required but missing
	Questions []Question
	Unnamed   int      // further open blocking questions
	Record    []string // what only the policy of record asks for, as refusals list it
	Closing   Closing  // what the rules for closings by agents find
	Unshown   []int    // criteria that no run of the gate's commands shows
	Part      bool     // these are a part of what is in the way: what clears them does not close the task
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
	o.Why = s.Why
	if !defined {
		o.Gate = string(t.Gate)
	}
	o.Approvals = MissingApprovals(p.Required(t), s.Approvals)
	o.Note, o.Unshown = p.RequireNoteOnDone && s.Notes == 0 && t.Notes == 0, s.Unshown
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
		over.Evidence, o.Evidence, over.Why = o.Evidence, nil, o.Why
	}
	if over.Empty() {
		return o, nil
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
func (o Obstacles) Missing() []string { return o.listed(Criterion.missing) }

// Brief lists what Missing does, with criteria by their number alone, for readers who have their text.
func (o Obstacles) Brief() []string {
	return o.listed(func(c Criterion) string { return "criterion " + strconv.Itoa(c.Index) })
}

func (o Obstacles) listed(criterion func(Criterion) string) []string {
	out := words.Each(o.Criteria, criterion)
	if o.Gate != "" {
		out = append(out, "gate "+o.Gate+": it is defined nowhere")
	}
	for _, k := range o.Evidence {
		if i := slices.IndexFunc(o.Why, func(d Discounted) bool { return d.Kind == k }); i >= 0 {
			k = o.Why[i].String()
		}
		out = append(out, "evidence "+k)
	}
	out = append(out, words.Each(o.Approvals, Requirement.String)...)
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

// Ending returns the calls with which a worker ends the task, once the work is done: one that runs what its gate asks for, ticks
// and records the rest, closes the task or, where a human closes or approves it, hands it over, and claims the next. What only
// another command shows is run before. It is empty for a task that nobody can close as it is.
func (o Obstacles) Ending(id ID, p Policy) fault.Text {
	if o.Gate != "" {
		return nil
	}
	run, typed := o.evidence()
	end, after := hint.Ending{To: string(Done), Evidence: typed != "", Note: o.Note, Next: true}, ""
	var first fault.Text
	_, runs := o.ticks(id)
	for _, call := range runs {
		first = append(first, fault.Parts("%s, then ", call)...)
	}
	end.Check = o.byHand()
	switch {
	case len(o.Approvals) > 0:
		end.To, after = string(InReview), "; "+p.Judges(o.Approvals)+" approves it"
	case o.Closing.Supervised:
		end.To, after = string(InReview), "; "+p.AnyHuman()+" closes it"
	}
	switch shown := o.shownByGate(); {
	case run && shown && end.To == string(Done):
		end.Prove = true
	case run && shown:
		first, end.Check = append(first, fault.Parts("%s, then ", hint.ProveGate(id, end.Check...))...), nil
	case run:
		first = append(fault.Parts("%s, then ", hint.ProveGate(id)), first...)
	}
	return append(first, fault.Parts("%s"+after, hint.End(id, end))...)
}

// byHand returns the unchecked criteria that are no command.
func (o Obstacles) byHand() (out []int) {
	for _, c := range o.Criteria {
		if _, command := c.Line(); !command {
			out = append(out, c.Index)
		}
	}
	return out
}

// shownByGate reports whether a run of the gate's commands may show every unchecked criterion that is no command itself.
func (o Obstacles) shownByGate() bool {
	return !slices.ContainsFunc(o.byHand(), func(i int) bool { return slices.Contains(o.Unshown, i) })
}

// Proving returns the one call that closes the task, where running what its gate asks for, and ticking by that, is all that it
// lacks; nil where something else is in the way.
func (o Obstacles) Proving(id ID) fault.Text {
	check := o.byHand()
	run, typed := o.evidence()
	rest := o
	rest.Criteria, rest.Evidence = nil, nil
	if !run || typed != "" || o.Part || len(check) != len(o.Criteria) || !o.shownByGate() || !rest.Empty() {
		return nil
	}
	return fault.Parts(words.When(len(check) > 0, "once each criterion is true, ")+"prove and close it (%s)",
		hint.End(id, hint.Ending{To: string(Done), Prove: true, Check: check}))
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
	said := fault.Parts("the gate %s asks for evidence of the kind %s, and an approval is not evidence: add it (%s)",
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
	return words.And(append(parts, words.Each(o.Closing.reasons(""), func(r reason) string { return r.because })...))
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
	if proving := o.Proving(id); len(proving) > 0 {
		return append(proving, override...)
	}
	byHand, runs := o.ticks(id)
	if len(byHand) > 0 {
		say("tick each criterion once it is true (%s)", hint.Check(id, byHand))
	}
	for _, call := range runs {
		say("run the command of a criterion (%s)", call)
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
	for _, r := range o.Closing.reasons(id) {
		add(r.advice)
	}
	return parts
}

// evidence reports whether a command is among the missing kinds of evidence, and returns the first kind that is not one.
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

// ticks returns how the first few unchecked criteria are ticked: by hand, or by the call that runs the command.
func (o Obstacles) ticks(id ID) (byHand []int, runs []hint.Call) {
	const limit = 10
	for _, c := range o.Criteria {
		switch run, ok := c.Run(id); {
		case ok && len(runs) < maxHinted:
			runs = append(runs, run)
		case !ok && len(byHand) < limit:
			byHand = append(byHand, c.Index)
		}
	}
	return byHand, runs
}
