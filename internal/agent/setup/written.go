package setup

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/text/words"
)

// Entry is how an agent starts our tool server, as its files say.
type Entry struct {
	Title   string // of the agent
	Program string
	Env     []string // NAME=value
}

// Actor returns the name under which the agent acts; "" if its files do not say.
func (e Entry) Actor() string {
	for _, v := range e.Env {
		if name, value, _ := strings.Cut(v, "="); name == "TASKER_ACTOR" {
			return value
		}
	}
	return ""
}

// In JSON and TOML alike: the program of an entry, and a variable with its value. No start of the program pays for them.
var (
	started  = words.Pattern(`"?command"?\s*[:=]\s*\[?\s*("(?:[^"\\]|\\.)*")`)
	assigned = words.Pattern(`"(TASKER_[A-Z]+)"\s*[:=]\s*("(?:[^"\\]|\\.)*")`)
)

// Written returns the entry of the tool server in an agent's files. It refuses an agent that is not set up.
func Written(name string, files Files) (e Entry, err error) {
	w := begin(name, files)
	text := w.entry()
	called := started().FindSubmatch(text)
	if called == nil {
		w.refuse(fault.Decline("%s is not set up here", w.agent.title).WithHint("set it up: %s", hint.Command("setup "+name)))
	}
	if w.err != nil {
		return e, w.err
	}
	e.Title, e.Program = w.agent.title, unquoted(called[1])
	for _, v := range assigned().FindAllSubmatch(text, -1) {
		e.Env = append(e.Env, string(v[1])+"="+unquoted(v[2]))
	}
	slices.Sort(e.Env)
	e.Env = slices.Compact(e.Env)
	return e, nil
}

// entry returns the text of the tool server's entry; empty if there is none.
func (w *work) entry() []byte {
	for _, v := range w.agent.values {
		if v.names[len(v.names)-1] == "tasker" {
			return w.valueIn(w.place(v), v.names)
		}
	}
	for _, t := range w.agent.more {
		f := w.file(t.path)
		if b, ok := t.comment.find(f.after, w.agent.name); ok {
			return f.after[b.at.from:b.at.to]
		}
	}
	return nil
}

// valueIn returns a value as a file has it; nil if it has none.
func (w *work) valueIn(f *file, names []string) []byte {
	if f.after == nil {
		return nil
	}
	at, found, err := find(f.after, names)
	if err != nil {
		w.refuse(unreadable(f.path, err))
	}
	if err != nil || found < len(names) {
		return nil
	}
	return f.after[at.StartOffset:at.EndOffset]
}

func unquoted(s []byte) string {
	text, err := jsontext.AppendUnquote(nil, s)
	if err != nil {
		return strings.Trim(string(s), `"`)
	}
	return string(text)
}

// Unset says what setup leaves for a person to add, since somebody else has decided it in the agent's files: the name
// under which the agent's shell acts. changes is what Add returned for these options.
func Unset(name string, files Files, changes []Change, o Options) ([]string, error) {
	w := begin(name, files)
	for _, c := range changes {
		w.state = append(w.state, &file{c.Path, c.After, c.After})
	}
	var out []string
	for _, t := range w.agent.more {
		src := w.file(t.path).after
		b, ok := t.comment.find(src, name)
		if !ok || bytes.Contains(src[b.at.from:b.at.to], []byte(policy)) {
			continue
		}
		if rest := t.comment.cut(src, b); !bytes.Contains(rest, []byte("TASKER_ACTOR")) {
			out = append(out, fmt.Sprintf("%s has a [%s] of its own, so the shell of %s does not act as %s: add to its set { %s }",
				t.path, policy, w.agent.title, o.Actor, pairs(o, " = ")))
		}
	}
	for _, v := range w.agent.values {
		if v.names[len(v.names)-1] != "TASKER_ACTOR" {
			continue
		}
		if said := string(w.valueIn(w.file(v.path), v.names)); said != "" && said != quote(o.Actor) {
			out = append(out, fmt.Sprintf("%s says %s for %s, so the shell of %s does not act as %s",
				v.path, said, strings.Join(v.names, "."), w.agent.title, o.Actor))
		}
	}
	return out, w.err
}
