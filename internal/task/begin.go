package task

import "tasker/internal/hint"

// Begin says how to begin in a project without tasks. It returns nil for any other.
func (p *Project) Begin(a Actor) hint.Advice {
	switch {
	case p.Tasks.Total() > 0:
		return nil
	case a.Person():
		return hint.Advise("begin with a task: %s; or with a plan: %s", hint.Add(p.Slug), hint.ApplyFile())
	}
	return hint.Advise("if your person asked you to plan the work, apply a plan: %s; otherwise ask what to do", hint.ApplyFile())
}
