package task

import "slices"

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
