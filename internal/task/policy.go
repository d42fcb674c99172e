package task

import (
	"slices"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Policy is what the configuration decides for one project, with its layers merged. The zero value is a project without
// configuration.
type Policy struct {
	DefaultAutonomy   Autonomy                 // empty: autonomous
	PreferredActor    string                   // for tasks that prefer nobody
	MayExecute        []string                 // for tasks that list nothing
	RequireApproval   []Requirement            // of every task
	ReviewPolicy      map[string][]Requirement // additional ones, by gate
	Gates             map[string][]string      // evidence kinds by gate
	GateDirs          map[string]string        // by gate that asks for a command: where it runs, from the repository's root, if known
	Place             Place                    // where commands of gates run; zero if unknown
	Selection         []SelectKey              // nil: DefaultSelection; empty: only by number
	LeaseMs           *int64                   // nil: DefaultLeaseMs
	RequireNoteOnDone bool
	Humans            []Actor  // who is declared as a human
	CI                []string // actors to whom the record gives the role ci
	DeclaresHuman     bool     // agents may not loosen, override missing evidence, or move what they may not hold

	// Record is what the project's record asks of agents in addition: see InForce. It is nil where the record declares no
	// human, or says what the layers of this process say.
	Record *Policy
}

// Requirement is one approval that a task must collect. With neither role nor actor any human will do.
type Requirement struct {
	Role   string `json:"role"`
	Actor  string `json:"actor"`
	Kind   string `json:"kind"` // approval (also when empty) or verification
	Reason string `json:"reason"`
}

// The kinds of approvals.
const (
	KindApproval     = "approval"
	KindVerification = "verification"
)

// Actor is an acting identity. Name is the declared actor; Instance tells two workers of one name apart.
type Actor struct {
	Name         string
	Instance     string
	Human        bool // everyone else is an agent
	Roles        []string
	Capabilities []string
	Ceiling      Autonomy // the widest autonomy that its declaration allows; empty: no ceiling
	Declared     bool     // by the configuration
	Withheld     bool     // the files of this process declare it with more rights than the project's record lets it have
	Shell        string   // the agent whose shell this is, where nobody named the actor: a human with an agent's rights
	Served       string   // the same for a server, which acts as configured: by the project's record, not by a file alone
	Started      bool     // a server acts as it: it has no more rights than the files gave it when the server started
	For          string   // another instance of the name, for whose claim the actor acts; empty otherwise
	Record       *Actor   // as the project's record declares it; nil where that declares no human, or says what the layers here say
}

// Holds reports whether the actor may work under a claim: its own, its plain name's, or that of the instance it acts
// for.
func (a Actor) Holds(c *Claim) bool {
	return c != nil && (c.Actor == a.Full() || c.Actor == a.Name || a.For != "" && c.Actor == a.For)
}

// MayActFor reports whether a claim is of an instance of the actor's name, and the actor has none: with the fence of the
// claim it then acts for that instance.
func (a Actor) MayActFor(c *Claim) bool {
	if c == nil || a.Instance != "" || a.Holds(c) {
		return false
	}
	name, _, err := ParseActor(c.Actor)
	return err == nil && name == a.Name // a name from before names were checked this strictly is nobody's instance
}

// Person reports whether the actor has the rights of a human.
func (a Actor) Person() bool { return a.Human && a.Shell == "" }

// Full returns the name as claims and events store it: followed by a slash and the instance, if any.
func (a Actor) Full() string {
	if a.Instance == "" {
		return a.Name
	}
	return a.Name + "/" + a.Instance
}

// MissingEvidence returns the kinds of evidence that the gate asks for and have lacks, each once, in the gate's order.
// defined is false for a gate that no configuration defines.
func (p Policy) MissingEvidence(gate Opt, have []string) (missing []string, defined bool) {
	if gate == "" {
		return nil, true
	}
	for _, k := range p.Gates[string(gate)] {
		if !slices.Contains(have, k) && !slices.Contains(missing, k) {
			missing = append(missing, k)
		}
	}
	return missing, p.DefinesGate(string(gate))
}

// DirOf returns the directory that the commands of a gate run in, from the root of the repository, or "" if it is unknown.
func (p Policy) DirOf(gate Opt) string { return p.GateDirs[string(gate)] }

// DefinesGate reports whether a gate is defined: it asks for evidence, or the review policy names it. A gate that only
// the review policy names asks for approvals and for no evidence.
func (p Policy) DefinesGate(gate string) bool {
	_, evidence := p.Gates[gate]
	_, review := p.ReviewPolicy[gate]
	return evidence || review
}

// strictness orders autonomies. An empty one is the widest; an unknown one counts as the strictest, to be safe.
func strictness(a Autonomy) int {
	if a == "" {
		return 0
	}
	if i := slices.Index(Autonomies, a); i >= 0 {
		return i
	}
	return len(Autonomies) - 1
}

// TaskAutonomy returns the autonomy of a task that declares this one: its own, else the project's, else autonomous. The
// project's is the stricter of what the layers of this process and the record say.
func (p Policy) TaskAutonomy(declared Opt) Autonomy {
	if declared != "" {
		return Autonomies[strictness(Autonomy(declared))]
	}
	most := strictness(p.DefaultAutonomy)
	if p.Record != nil {
		most = max(most, strictness(p.Record.DefaultAutonomy))
	}
	return Autonomies[most]
}

// EffectiveAutonomy returns the stricter of the task's autonomy and the actor's ceiling.
func (p Policy) EffectiveAutonomy(declared Opt, a Actor) Autonomy {
	return Autonomies[max(strictness(p.TaskAutonomy(declared)), strictness(a.Ceiling))]
}

// TaskMayExecute returns the task's own list if it has one, else the project's. An empty list means anyone.
func (p Policy) TaskMayExecute(list []string) []string {
	if len(list) > 0 {
		return list
	}
	return p.MayExecute
}

// Bar explains why routing refuses a task to an actor, what would change that, and who the task is left to if the actor is
// an agent next to declared humans; Missing is how refusals list it.
type Bar struct{ Why, Change, Leave, Missing string }

// fault returns the refusal of a task that is not for the actor.
func (b *Bar) fault(what, project string, a Actor) *fault.Error {
	return fault.Decline("%s is not for %s: %s", what, a.inSentence(), b.Why).WithParts(b.advice(project))
}

// advice returns what to do about the bar.
func (b *Bar) advice(project string) fault.Text {
	return fault.Parts("%s", fault.ByHuman(project, b.Leave, "%s", b.Change))
}

// MayHold returns a refusal if routing keeps a task with this autonomy and mayExecute from the actor.
func (p Policy) MayHold(a Actor, autonomy Opt, mayExecute []string) error {
	if why := p.barred(a, autonomy, mayExecute); why != nil {
		return why.fault("the task", "", a)
	}
	return nil
}

// barred returns why routing keeps a task from the actor: by what the layers of this process say, or else, for an agent, by
// what the record says.
func (p Policy) barred(a Actor, autonomy Opt, mayExecute []string) *Bar {
	why := p.here().barredBy(a, autonomy, mayExecute)
	if record := p.forAgent(a); why == nil && record != nil {
		why = record.barredBy(a, autonomy, mayExecute).byRecord()
	}
	return why
}

func (p Policy) barredBy(a Actor, autonomy Opt, mayExecute []string) *Bar {
	if why := p.barredByAutonomy(a, autonomy); why != nil {
		why.Missing = string(HumanOnly)
		return why
	}
	list := p.TaskMayExecute(mayExecute)
	if len(list) == 0 || slices.ContainsFunc(list, a.has) {
		return nil
	}
	wanted := words.List(list)
	leave := "leave it to an actor that has " + words.Or(list)
	missing := "mayExecute: one of " + wanted
	if !a.Declared {
		return &Bar{
			Missing: missing,
			Why:     "it takes one of " + wanted + ", and the configuration does not declare this actor, so it has no roles",
			Change: "declare it in .tasker.json: " + declaration(a.Name, "agent", `, "roles": [`+strconv.Quote(list[0])+`]`) +
				"; or change " + mayExecuteOf(mayExecute),
			Leave: leave,
		}
	}
	has := words.List(slices.Concat(a.Roles, a.Capabilities))
	if has == "" {
		has = "no role and no capability"
	}
	return &Bar{
		Missing: missing,
		Why:     "it takes one of " + wanted + ", and this actor has " + has,
		Change:  "give the actor one of " + wanted + " as a role or capability in .tasker.json, or change " + mayExecuteOf(mayExecute),
		Leave:   leave,
	}
}

func (p Policy) barredByAutonomy(a Actor, autonomy Opt) *Bar {
	if a.Person() || p.EffectiveAutonomy(autonomy, a) != HumanOnly {
		return nil
	}
	leave := "leave it to " + fault.Humans
	switch {
	case a.Human:
		return &Bar{Why: "it is human_only, and " + a.agent(), Change: "leave it to a human", Leave: leave}
	case p.TaskAutonomy(autonomy) != HumanOnly:
		return &Bar{
			Why:    "its own ceiling is human_only, so it holds nothing as an agent",
			Change: "widen the autonomy of the actor in .tasker.json, or leave the task to a human",
			Leave:  leave,
		}
	case !a.Declared:
		return &Bar{
			Why: "it is human_only, and " + a.agent(),
			Change: "if this is a person, declare it in .tasker.json: " + declaration(a.Name, "human", "") +
				"; otherwise leave the task to a human",
			Leave: leave + ", who can also declare another person",
		}
	default:
		return &Bar{
			Why:    "it is human_only, and " + a.agent(),
			Change: "leave it to a human, or have a human widen it (" + strings.TrimSuffix(autonomyOf(autonomy), ",") + ")",
			Leave:  leave,
		}
	}
}

// declaration returns what to add to the configuration for an actor.
func declaration(name, kind, more string) string {
	return `"actors": [{"name": ` + strconv.Quote(name) + `, "kind": "` + kind + `"` + more + `}]`
}

// Routing explains who may hold a task, and what would change that.
//
//field:json
type Routing struct {
	MayHold         bool     `json:"mayHold"`
	Autonomy        Autonomy `json:"autonomy"`   // the effective one
	MayExecute      []string `json:"mayExecute"` // the list that counts
	PreferredActor  Opt      `json:"preferredActor"`
	Why             string   `json:"why"`
	WhatWouldChange string   `json:"whatWouldChange"`
}

// Route explains the routing of a task for an actor.
func (p Policy) Route(a Actor, t *Task) Routing {
	r := Routing{
		MayHold:        true,
		Autonomy:       p.EffectiveAutonomy(t.Autonomy, a),
		MayExecute:     slices.Clone(p.TaskMayExecute(t.MayExecute)),
		PreferredActor: Opt(preferred(string(t.PreferredActor), p)),
	}
	if why := p.barred(a, t.Autonomy, t.MayExecute); why != nil {
		r.MayHold, r.Why = false, why.Why
		r.WhatWouldChange = why.advice(t.Project).For(p.Reader(a)).In(fault.Call.String)
		return r
	}
	r.Why, r.WhatWouldChange = r.open(a), p.closing(a, t)
	return r
}

// open returns why the actor may hold the task.
func (r Routing) open(a Actor) string {
	who := "anyone may hold it"
	if r.Autonomy == HumanOnly {
		who = "only humans may hold it, and " + a.inSentence() + " is one"
	}
	for _, one := range r.MayExecute {
		if a.has(one) {
			who += "; it takes one of " + words.List(r.MayExecute) + ", and " + a.inSentence() + " has " + one
			break
		}
	}
	return strings.Replace(who, "anyone may hold it; it", "it", 1)
}

// closing returns what would keep a task from an actor that may hold it now, and, for a task for humans, what would
// open it to agents.
func (p Policy) closing(a Actor, t *Task) string {
	opens := ""
	if p.TaskAutonomy(t.Autonomy) == HumanOnly {
		opens = autonomyOf(t.Autonomy) + " other than human_only would open it to agents; "
	}
	keeps := ""
	if !a.Person() {
		keeps = "autonomy human_only or "
	}
	has := slices.Concat(a.Roles, a.Capabilities)
	list := p.TaskMayExecute(t.MayExecute)
	switch {
	case len(list) > 0:
		has = slices.DeleteFunc(has, func(one string) bool { return !slices.Contains(list, one) })
		keeps += mayExecuteOf(t.MayExecute) + " without " + words.List(has)
	case len(has) > 0:
		keeps += "a mayExecute without " + words.List(has)
	default:
		keeps += "any mayExecute"
	}
	return opens + keeps + " would keep " + a.inSentence() + " from it"
}

// autonomyOf names what decides the autonomy of a task that declares this one.
func autonomyOf(declared Opt) string {
	if declared == "" {
		return "execution.defaultAutonomy, or autonomy of the task,"
	}
	return "autonomy of the task"
}

// mayExecuteOf names the list that counts for a task with this list.
func mayExecuteOf(list []string) string {
	if len(list) == 0 {
		return "execution.mayExecute"
	}
	return "mayExecute of the task"
}

// SelectedBy returns the keys of selection, in order.
func (p Policy) SelectedBy() []SelectKey {
	if p.Selection == nil {
		return DefaultSelection
	}
	return p.Selection
}
