package config

import (
	"slices"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// BranchPrefix returns the prefix of branch names: branch.prefix if a layer above the defaults sets it, else the code
// host's if one does, else the default.
func (e *Effective) BranchPrefix() string {
	if !e.setAbove("branch", "prefix") && e.setAbove("integrations", "code_host", "branchPrefix") {
		return e.Integrations.CodeHost.BranchPrefix
	}
	return e.Branch.Prefix
}

// Apart returns the configuration for tasks that are worked on at the same time: each has a work tree of its own, unless
// a layer sets workspace.strategy.
func (e *Effective) Apart() *Effective {
	if e.setAbove("workspace", "strategy") {
		return e
	}
	apart, settings := *e, *e.Config
	settings.Workspace.Strategy = "worktree"
	apart.Config = &settings
	return &apart
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

// NamedProvider is a provider with its name.
type NamedProvider struct {
	Name string
	Provider
}

// ProviderChain returns the providers of a workspace, in order. A name that is not defined anywhere is a fault here,
// where it is used.
func (c *Config) ProviderChain() ([]NamedProvider, error) {
	out := make([]NamedProvider, 0, len(c.Workspace.Providers))
	for i, name := range c.Workspace.Providers {
		p, ok := c.Providers[name]
		if !ok {
			return nil, fault.Bad("%s names the provider %s, which is defined in no layer", strict.At("workspace.providers", i), words.Quoted(name)).
				WithHint("define it as %s, or remove the name", strict.Join("providers", name))
		}
		out = append(out, NamedProvider{Name: name, Provider: p})
	}
	return out, nil
}

// Timeout returns how long the step may take.
func (s Step) Timeout() time.Duration { return time.Duration(s.TimeoutMs) * time.Millisecond }
