package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"tasker/internal/config/format"
	"tasker/internal/strict"
	"tasker/internal/text/words"
)

// warn finds what is allowed but probably a mistake. It looks at all layers together, because one layer may define what
// another names.
func (e *Effective) warn() []Warning {
	out := []Warning{}
	say := func(key, message string, args ...any) {
		out = append(out, e.warning(key, fmt.Sprintf(message, args...)))
	}
	for i, name := range e.Workspace.Providers {
		if _, ok := e.Providers[name]; !ok {
			say(strict.At("workspace.providers", i), "the provider %s is defined in no layer", words.Quoted(name))
		}
	}
	e.nobody(say)
	for _, m := range e.merged.Get("providers").All() {
		if p := e.Providers[m.Name]; p.Type == "exec" && p.Run == "" {
			say(strict.Join("providers", m.Name), "a provider of type exec does nothing without run")
		}
	}
	if p := e.Workspace.Ports; p != nil && p.PerTask > p.Range[1]-p.Range[0]+1 {
		say("workspace.ports.perTask", "%d ports per task do not fit in a range of %d", p.PerTask, p.Range[1]-p.Range[0]+1)
	}
	if !strings.Contains(e.Branch.Template, "{id}") {
		say("branch.template", "without {id} two tasks can end up on the same branch")
	}
	for i, ch := range e.Notifications.Channels {
		if ch.Type == "webhook" && !isWebURL(ch.Target) {
			say(strict.At("notifications.channels", i)+".target", "%s is not an http or https address", words.Quoted(ch.Target))
		}
	}
	e.unknown(say)
	return append(append(out, e.Unusable()...), e.Orphans()...)
}

// warning returns a warning about a key, with the file and line that set it.
func (e *Effective) warning(key, message string) Warning {
	w := Warning{Path: key, Message: message}
	path, _, err := format.Resolve(key)
	if err != nil {
		return w
	}
	if m := e.merged.FindMember(path); m != nil {
		if o := originOf(*m); o.Line != nil {
			w.File, w.Line = *o.File, *o.Line
		}
	}
	return w
}

// nobody warns of actors, roles and capabilities that no layer declares.
func (e *Effective) nobody(say func(key, message string, args ...any)) {
	for _, named := range []struct{ key, name, so string }{
		{"execution.preferredActor", e.Execution.PreferredActor, "nobody is preferred until an actor of this name works here"},
		{"agentDefaults.actor", e.AgentDefaults.Actor, "who acts under it counts as an agent with no roles"},
	} {
		if _, declared := e.Actor(named.name); named.name != "" && !declared {
			say(named.key, "the actor %s is declared in no layer: %s", words.Quoted(named.name), named.so)
		}
	}
	has := func(what string) bool {
		return slices.ContainsFunc(e.Actors, func(a Actor) bool { return slices.Contains(a.Roles, what) || slices.Contains(a.Capabilities, what) })
	}
	so := words.When(!slices.ContainsFunc(e.Execution.MayExecute, has), ", so nobody can claim a task that has no list of its own")
	for i, what := range e.Execution.MayExecute {
		if !has(what) {
			say(strict.At("execution.mayExecute", i), "no declared actor has the role or capability %s%s", words.Quoted(what), so)
		}
	}
}

// Orphans warns of approvals that no declared human can give, because nobody has the role or the name: a task that
// needs one cannot be done.
func (e *Effective) Orphans() []Warning {
	out := []Warning{}
	look := func(key string, list []Requirement) {
		for i, r := range list {
			if r.Role == "" && r.Actor == "" || slices.ContainsFunc(e.Actors, func(a Actor) bool { return mayGive(a, r) }) {
				continue
			}
			out = append(out, e.warning(strict.At(key, i), "no declared human can give the "+wordsOf(r)+", so no task that needs it can be done"))
		}
	}
	look("execution.requireApproval", e.Execution.RequireApproval)
	for _, gate := range slices.Sorted(maps.Keys(e.Execution.ReviewPolicy)) {
		look(strict.Join("execution.reviewPolicy", gate), e.Execution.ReviewPolicy[gate])
	}
	return out
}

// mayGive reports whether an actor could satisfy a requirement.
func mayGive(a Actor, r Requirement) bool {
	return a.Kind == "human" && (r.Actor == "" || r.Actor == a.Name) && (r.Role == "" || slices.Contains(a.Roles, r.Role))
}

// unknown warns of values and names without a meaning here, if the declaration lists the ones that have one.
func (e *Effective) unknown(say func(key, message string, args ...any)) {
	check := func(path, value string, known []string) {
		if known != nil && !slices.Contains(known, value) {
			say(path, "%s means nothing here; known are %s%s", words.Quoted(value), words.List(known), words.Meant(value, known))
		}
	}
	format.Visit(e.merged, func(p format.Place) bool {
		if p.In != nil && p.In.Key.Type == format.Map {
			check(p.Path, p.Name, p.In.Key.Known)
		}
		if p.Key.Type == format.Text {
			check(p.Path, p.Node.Text, p.Key.Known)
		}
		return true
	})
}

func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// Warning is something that is allowed but probably a mistake.
type Warning struct {
	File    string `json:"file"` // "" if the value does not come from a file
	Line    int    `json:"line"`
	Path    string `json:"path"`
	Message string `json:"message"`
	Loosens bool   `json:"-"` // a file asks for less than the project's record does
}

// String returns the warning on one line.
func (w Warning) String() string {
	if w.File == "" {
		return w.Path + ": " + w.Message
	}
	return fmt.Sprintf("%s:%d: %s: %s", w.File, w.Line, w.Path, w.Message)
}
