package config

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"tasker/internal/words"
)

// warn finds what is allowed and will hardly be meant. It looks at all layers together, because what one names
// another may define.
func (e *Effective) warn() []Warning {
	out := []Warning{}
	say := func(key, format string, args ...any) {
		w := Warning{Path: key, Message: fmt.Sprintf(format, args...)}
		if path, _, err := resolve(key); err == nil {
			if m := e.merged.findMember(path); m != nil {
				if o := m.origin(); o.File != nil {
					w.File, w.Line = *o.File, *o.Line
				}
			}
		}
		out = append(out, w)
	}
	for i, name := range e.Workspace.Providers {
		if _, ok := e.Providers[name]; !ok {
			say(at("workspace.providers", i), "the provider %s is defined in no layer", words.Quoted(name))
		}
	}
	for _, m := range e.merged.get("execution").get("reviewPolicy").list() {
		if _, ok := e.Gates[m.name]; !ok {
			say(join("execution.reviewPolicy", m.name), "the gate %s is defined in no layer", words.Quoted(m.name))
		}
	}
	for _, m := range e.merged.get("providers").list() {
		if p := e.Providers[m.name]; p.Type == "exec" && p.Run == "" {
			say(join("providers", m.name), "a provider of type exec does nothing without run")
		}
	}
	if p := e.Workspace.Ports; p != nil && p.PerTask > p.Range[1]-p.Range[0]+1 {
		say("workspace.ports.perTask", "%d ports per task do not fit in a range of %d", p.PerTask, p.Range[1]-p.Range[0]+1)
	}
	if !strings.Contains(e.Branch.Template, "{id}") {
		say("branch.template", "without {id} two tasks can come to the same branch")
	}
	for i, ch := range e.Notifications.Channels {
		if ch.Type == "webhook" && !isWebURL(ch.Target) {
			say(at("notifications.channels", i)+".target", "%s is no http or https address", words.Quoted(ch.Target))
		}
	}
	e.unknown(e.merged, &format, "", say)
	return out
}

// unknown warns of values and names that mean nothing here, where the declaration says which do.
func (e *Effective) unknown(n *node, k *Key, path string, say func(key, format string, args ...any)) {
	if n == nil {
		return
	}
	if k.Known != nil && k.Type == text && !slices.Contains(k.Known, n.text) {
		say(path, "%s means nothing here; known are %s; did you mean %s?", words.Quoted(n.text), words.List(k.Known), words.Closest(n.text, k.Known))
	}
	for _, sub := range k.Keys {
		e.unknown(n.get(sub.Name), sub, join(path, sub.Name), say)
	}
	if k.Type == mapping {
		for _, m := range n.members {
			if k.Known != nil && !slices.Contains(k.Known, m.name) {
				say(join(path, m.name), "%s means nothing here; known are %s; did you mean %s?", words.Quoted(m.name), words.List(k.Known), words.Closest(m.name, k.Known))
			}
			e.unknown(m.node, k.Elem, join(path, m.name), say)
		}
	}
	for i, item := range n.items {
		e.unknown(item, k.Elem, at(path, i), say)
	}
}

// list is the members of an object, none of nothing.
func (n *node) list() []member {
	if n == nil {
		return nil
	}
	return n.members
}

func isWebURL(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
