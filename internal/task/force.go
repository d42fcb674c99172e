package task

import (
	"maps"
	"slices"
)

// What is in force for an actor on a task is decided here, from two sides: what the layers of a process say together (db
// layer, file, local file, environment, flags), and what the project's record says (the policy of record and the db layer).
// Every act and every display asks the policy and the actor that InForce and Register.Count return. They are in this package
// because the rules for claims, ticks and moves are, and those take no other policy.

// Register is what a project's record says, where the layers of a process say something else.
type Register struct {
	Actors []Actor // as the record declares them
	Policy Policy
}

// Binds reports whether the record counts next to the layers of a process: where it declares a human. Elsewhere the layers
// decide alone.
func (r *Register) Binds() bool { return r != nil && r.Policy.DeclaresHuman }

// InForce returns the policy that is in force where the layers of a process say here. actors are those of both sides, as they
// count.
//
// Where the record declares no human, the layers decide alone. Where it declares one, whether the project declares a human
// is not up to them, and for agents the stricter of both holds. Humans pass what only the record asks for, which is an
// override.
func InForce(here Policy, r *Register, actors []Actor) Policy {
	here.Record = nil
	if !r.Binds() {
		return here
	}
	record := r.Policy
	record.Record, record.DeclaresHuman = nil, true
	record.Humans = slices.DeleteFunc(slices.Clone(actors), func(a Actor) bool { return !a.Human })
	here.Humans, here.DeclaresHuman, here.Record = record.Humans, true, &record
	return here
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

// Asks reports whether it matters who has written in the project: the files make a human of an actor that the record does
// not mention. A newcomer may be one, an actor that the project knows may not.
func (r *Register) Asks(here Actor) bool {
	if !r.Binds() {
		return false
	}
	known := r.Actor(here.Name)
	return !known.Declared && here.exceeds(known)
}

// Count returns an actor as it counts in the project. here is the actor as the layers of a process declare it; wrote says
// whether it has written in the project, and matters only if Asks says so.
//
// Where the record declares no human, the layers decide alone. Where it declares one, a human of the record stays one, and
// an agent of the record, or an actor whom the record does not declare and who has written, becomes no human and gets no
// wider ceiling: an agent could edit the files. Everything else counts as the layers say, roles and capabilities included.
func (r *Register) Count(here Actor, wrote bool) Actor {
	here.Record = nil
	if !r.Binds() {
		return here
	}
	known := r.Actor(here.Name)
	switch {
	case known.Human && !here.Human:
		here = here.as(known)
	case known.Human, !known.Declared && !wrote, !here.exceeds(known):
	default:
		here.Human = false
		here.Ceiling = Autonomies[max(strictness(here.Ceiling), strictness(known.Ceiling))]
		here.Declared, here.Withheld = here.Declared || known.Declared, true
	}
	here.Record = &known
	return here
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

// exceeds reports whether the actor is a human, or has a wider ceiling, where the same actor under another declaration is
// none, or has a stricter one.
func (a Actor) exceeds(known Actor) bool {
	return a.Human && !known.Human || strictness(a.Ceiling) < strictness(known.Ceiling)
}

// judging returns the roles by which the actor approves: those of the record, where it has the actor.
func (a Actor) judging() []string {
	if a.Record != nil && a.Record.Declared {
		return a.Record.Roles
	}
	return a.Roles
}

// Within returns the actor with the rights that both it and the same actor under another declaration have: a file that
// changes takes rights from a running server, and gives it none.
func (a Actor) Within(started Actor) Actor {
	a.Human = a.Human && started.Human
	a.Roles, a.Capabilities = common(a.Roles, started.Roles), common(a.Capabilities, started.Capabilities)
	if strictness(started.Ceiling) > strictness(a.Ceiling) {
		a.Ceiling = started.Ceiling
	}
	return a
}

// common returns the elements of a that b has too.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

// OnlyByFile returns the roles and capabilities that the actor has by a file and not by the project's record, which declares
// a human.
func (a Actor) OnlyByFile() []string {
	if a.Record == nil || a.Person() {
		return nil
	}
	return slices.DeleteFunc(slices.Concat(a.Roles, a.Capabilities), a.Record.has)
}

// byRecord is added to what a refusal lists if only the policy of record asks for it.
const byRecord = ", by the policy of record"

// ByRecord returns what a refusal lists, marked as what only the policy of record asks for.
func ByRecord(missing string) string { return missing + byRecord }

// here returns what the layers of the process say alone.
func (p Policy) here() Policy {
	p.Record = nil
	return p
}

// forAgent returns what the record asks of the actor in addition: nothing of a human.
func (p Policy) forAgent(a Actor) *Policy {
	if a.Person() {
		return nil
	}
	return p.Record
}

// GateFor returns the kinds of evidence that a gate asks for, here or by the record, and whether it is defined for agents.
func (p Policy) GateFor(gate Opt) (kinds []string, defined bool) {
	return p.kindsForAgents(string(gate)), p.definesForAgents(string(gate))
}

// GateNames returns the gates that are defined here or by the record, sorted.
func (p Policy) GateNames() []string {
	names := map[string]bool{}
	for pol := &p; pol != nil; pol = pol.Record {
		for name := range pol.Gates {
			names[name] = true
		}
		for name := range pol.ReviewPolicy {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// RequiredOfAgents returns the approvals that a task must collect before an agent closes it: those that Required returns,
// then those that only the record asks for.
func (p Policy) RequiredOfAgents(t *Task) []Requirement {
	required := p.Required(t)
	if p.Record == nil {
		return required
	}
	for _, r := range p.Record.Required(t) {
		if !slices.Contains(required, r) {
			required = append(required, r)
		}
	}
	return required
}

// NotesOfAgents reports whether an agent closes a task only with a note, here or by the record.
func (p Policy) NotesOfAgents() bool {
	return p.RequireNoteOnDone || p.Record != nil && p.Record.RequireNoteOnDone
}

// definesForAgents reports whether a gate is defined for agents: where the record counts, by that.
func (p Policy) definesForAgents(gate string) bool {
	if p.Record != nil {
		return p.Record.DefinesGate(gate)
	}
	return p.DefinesGate(gate)
}

// kindsForAgents returns the kinds of evidence that a gate asks of agents.
func (p Policy) kindsForAgents(gate string) []string {
	kinds := slices.Clone(p.Gates[gate])
	if p.Record != nil {
		for _, k := range p.Record.Gates[gate] {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds
}

// supervisedByRecord reports whether only the record makes a task supervised for the actor.
func (p Policy) supervisedByRecord(declared Opt, a Actor) bool {
	return p.forAgent(a) != nil && p.here().EffectiveAutonomy(declared, a) != Supervised
}

// byRecord returns the bar as one that only the policy of record makes.
func (b *Bar) byRecord() *Bar {
	if b == nil {
		return nil
	}
	b.Missing += byRecord
	b.Why += byRecord
	b.Change = "have a human of the record take the file here over: an apply next to it"
	return b
}

// RoutesAs reports whether two policies route every task alike, and order them alike.
func (p Policy) RoutesAs(b Policy) bool {
	return p.DefaultAutonomy == b.DefaultAutonomy && p.PreferredActor == b.PreferredActor && slices.Equal(p.MayExecute, b.MayExecute) &&
		(p.Selection == nil) == (b.Selection == nil) && slices.Equal(p.Selection, b.Selection) &&
		(p.Record == nil) == (b.Record == nil) && (p.Record == nil || p.Record.RoutesAs(*b.Record))
}
