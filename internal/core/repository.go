package core

import (
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/task"
)

// MayAssume declines to write to the only project there is, which nobody named, if it belongs to another repository than
// the one in which the command runs: with one project in the database, every repository would otherwise mean that one.
func (c Caller) MayAssume(p *task.Project) error {
	if !c.Repo.Apart(p.Repo) {
		return nil
	}
	return fault.Decline("the only project there is, %s, belongs to another repository: %s", p.Slug, p.Repo.Place(c.Repo.Host)).
		WithHint("name it if you mean it, with %s; or begin a project of this repository: %s", hint.NamingThis(p.Slug), hint.Command("init"))
}
