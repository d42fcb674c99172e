package policy

import (
	"context"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// TakeOver decides whether the caller may replace the policy of a project whose record has no human left to ask, and
// returns what the new policy loosens. It is for a person whom the new policy declares: not for an agent, not for an
// actor whom the record knows as one, and not while the record has a human, who can do it without an override.
func TakeOver(ctx context.Context, env *core.Env, before, after *task.Project) ([]string, error) {
	c := core.CallerOf(ctx)
	known, pol, err := env.Settings.ByRecord(before, c.Actor)
	if err != nil {
		return nil, err
	}
	become, _, err := env.Settings.ByRecord(after, c.Actor)
	if err != nil {
		return nil, err
	}
	who := c.Actor.FullOr("an unnamed actor")
	switch {
	case pol.DeclaresHuman:
		return nil, fault.Decline("%s may not take over %s: its record still has a human", who, before.Slug).
			WithHint("have %s carry the file over", pol.AnyHuman())
	case !c.AtCommand() || c.Via.Agent != "" || c.Actor.Shell != "" || known.Declared && !known.Human:
		return nil, fault.Decline("%s may not take over %s: an agent may not", who, before.Slug).
			WithHint("have a person do it at a terminal")
	case !become.Human:
		return nil, fault.Decline("%s may not take over %s: the file does not declare it as a human", who, before.Slug).
			WithHint("have a person whom the file declares as a human do it")
	}
	layer, err := DBLayer(after)
	if err != nil {
		return nil, err
	}
	passed, err := config.Loosened(before.Policy, layer, func(string) bool { return true })
	if len(passed) == 0 {
		passed = []string{words.Either(len(before.Policy) > 0, "the policy of record", "the settings in the database")}
	}
	return passed, err
}
