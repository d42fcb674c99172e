package task

import (
	"slices"
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
	Selection         []SelectKey              // nil: DefaultSelection; empty: only by number
	LeaseMs           *int64                   // nil: DefaultLeaseMs
	RequireNoteOnDone bool
	Humans            []Actor // who is declared as a human
	DeclaresHuman     bool    // agents may not loosen, override missing evidence, or move what they may not hold
}

// Requirement is one approval that a task must collect. With neither role nor actor any human will do.
type Requirement struct {
	Role   string
	Actor  string
	Kind   string // approval (also when empty) or verification
	Reason string
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
	Shell        string   // the agent in whose shell an actor that nobody named acts, a human with an agent's rights
	Served       string   // the same for a server, which acts as configured: by the project's record, not by a file alone
	For          string   // another instance of the name, for whose claim the actor acts; empty otherwise
}

// Holds reports whether the actor may work under a claim: its own, its plain name's, or that of the instance it acts
// for.
func (a Actor) Holds(c *Claim) bool {
	return c != nil && (c.Actor == a.Full() || c.Actor == a.Name || a.For != "" && c.Actor == a.For)
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

// Register is who a project's record says that actors are, where the files of a process say something else. Files alone
// promote nobody whom the project knows: an agent could edit them.
type Register struct {
	Actors            []Actor // as the record declares them
	RequireNoteOnDone bool
}

// Actor returns the actor as the record declares it; an undeclared one is an agent without roles.
func (r *Register) Actor(name string) Actor {
	for _, a := range r.Actors {
		if a.Name == name {
			return a
		}
	}
	return Actor{Name: name}
}

// Asks reports whether it matters who has written in the project: the files give an actor something that the record
// does not mention. A newcomer may have it, an actor that the project knows may not.
func (r *Register) Asks(here Actor) bool {
	known := r.Actor(here.Name)
	return !known.Declared && here.exceeds(known)
}

// Count returns an actor as it counts in the project. here is the actor as the files declare it; wrote tells whether it
// has written in the project, and matters only if Asks says so.
//
// A human of the record stays one. An agent of the record, or an actor whom the record does not declare and who has
// written, becomes no human, and gets no role, capability or wider ceiling. Everybody else counts as the files say.
func (r *Register) Count(here Actor, wrote bool) Actor {
	known := r.Actor(here.Name)
	switch {
	case known.Human && !here.Human:
		return here.as(known)
	case known.Human, !known.Declared && !wrote, !here.exceeds(known):
		return here
	}
	out := here.as(known)
	out.Roles, out.Capabilities = common(here.Roles, known.Roles), common(here.Capabilities, known.Capabilities)
	if strictness(here.Ceiling) > strictness(known.Ceiling) {
		out.Ceiling = here.Ceiling
	}
	out.Declared, out.Withheld = here.Declared || known.Declared, true
	return out
}

// Alike reports whether two declarations of an actor give it the same rights.
func (a Actor) Alike(b Actor) bool {
	return a.Human == b.Human && slices.Equal(a.Roles, b.Roles) && slices.Equal(a.Capabilities, b.Capabilities) && a.Ceiling == b.Ceiling
}

// as returns the actor with another declaration.
func (a Actor) as(declared Actor) Actor {
	a.Human, a.Declared = declared.Human, declared.Declared
	a.Roles, a.Capabilities, a.Ceiling = declared.Roles, declared.Capabilities, declared.Ceiling
	return a
}

// exceeds reports whether the actor may do anything that the same actor under another declaration may not.
func (a Actor) exceeds(known Actor) bool {
	return a.Human && !known.Human || len(common(a.Roles, known.Roles)) < len(a.Roles) ||
		len(common(a.Capabilities, known.Capabilities)) < len(a.Capabilities) || strictness(a.Ceiling) < strictness(known.Ceiling)
}

// common returns the elements of a that b has too.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
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
