package task

import "tasker/internal/text/words"

// maxWhose is how many roles or capabilities Whose names.
const maxWhose = 3

// Whose returns, in two or three words, whom a task is for that routing keeps from the actor.
func (p Policy) Whose(a Actor, autonomy Opt, mayExecute []string) string {
	list := p.TaskMayExecute(mayExecute)
	switch {
	case p.ForPeople(autonomy):
		return "for people"
	case p.barredByAutonomy(a, autonomy) == nil && len(list) > 0:
		return "for " + words.Or(list[:min(len(list), maxWhose)])
	default:
		return "not for you"
	}
}

// AnyHuman returns who can do what any human can: the declared humans by name if there are few, or "a human".
func (p Policy) AnyHuman() string { return Requirement{}.givers(p) }

// Judges returns who can give the first of the approvals that a task in review lacks; any human if it lacks none.
func (p Policy) Judges(missing []Requirement) string {
	if len(missing) == 0 {
		return p.AnyHuman()
	}
	return missing[0].givers(p)
}
