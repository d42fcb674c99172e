package config

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// BranchPrefix is the prefix of branch names: branch.prefix where a layer above the defaults sets it, else the code
// host's likewise, else the default.
func (e *Effective) BranchPrefix() string {
	if !e.setAbove("branch", "prefix") && e.setAbove("integrations", "code_host", "branchPrefix") {
		return e.Integrations.CodeHost.BranchPrefix
	}
	return e.Branch.Prefix
}

// BundleBudget is where a bundle is cut: the request's own number, else agentDefaults.budget, else
// context.bundleBudget, else 0 for nowhere.
func (c *Config) BundleBudget(request int) int {
	return cmp.Or(max(request, 0), c.AgentDefaults.Budget, c.Context.BundleBudget)
}

// Actor finds a declared actor by its name; an instance after a slash does not count.
func (c *Config) Actor(name string) (Actor, bool) {
	name, _, _ = strings.Cut(name, "/")
	for _, a := range c.Actors {
		if a.Name == name {
			return a, true
		}
	}
	return Actor{}, false
}

// DefaultActor is who acts when nobody is named: the actor flagged default, else agentDefaults.actor, else "".
func (c *Config) DefaultActor() string {
	for _, a := range c.Actors {
		if a.Default {
			return a.Name
		}
	}
	return c.AgentDefaults.Actor
}

// DeclaresHuman reports whether any declared actor is a human.
func (c *Config) DeclaresHuman() bool {
	return slices.ContainsFunc(c.Actors, func(a Actor) bool { return a.Kind == "human" })
}

// Notifies reports whether inbox items of a kind are delivered at all.
func (c *Config) Notifies(kind string) bool {
	switch kind {
	case "approval_requested", "verification_requested":
		return c.Notifications.OnApprovalRequested
	case "blocking_question":
		return c.Notifications.OnBlockingQuestion
	case "divergence":
		return c.Notifications.OnDivergence
	default:
		return true
	}
}

// NamedProvider is a provider with the name that it is defined under.
type NamedProvider struct {
	Name string
	Provider
}

// ProviderChain is the providers of a workspace, in order. One that is named and defined nowhere is a fault here,
// where it is used.
func (c *Config) ProviderChain() ([]NamedProvider, error) {
	out := make([]NamedProvider, 0, len(c.Workspace.Providers))
	for i, name := range c.Workspace.Providers {
		p, ok := c.Providers[name]
		if !ok {
			return nil, fault.Bad("%s names the provider %s, which is defined in no layer", strict.At("workspace.providers", i), words.Quoted(name)).
				WithHint("define it as %s, or take the name out", strict.Join("providers", name))
		}
		out = append(out, NamedProvider{Name: name, Provider: p})
	}
	return out, nil
}

// Timeout is how long the step may take.
func (s Step) Timeout() time.Duration { return time.Duration(s.TimeoutMs) * time.Millisecond }
