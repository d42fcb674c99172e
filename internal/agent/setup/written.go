package setup

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/text/words"
)

// Entry is how an agent starts us, as its files say.
type Entry struct {
	Title   string // of the agent
	Client  string // how the agent introduces itself to a tool server
	Program string
	Tools   []string // the arguments of the tool server
	Hook    string   // the command of its start hook, for a shell; empty if it has none
	Hooks   []Called // the commands of its other hooks; the one for the end of a session comes last
	Env     []string // NAME=value, for the tool server
	Shell   []string // NAME=value, for the agent's shell
}

// Called is a hook that an agent calls.
type Called struct{ Event, Command string }

// Actor returns the name that a person gave the agent; "" if its files do not say one.
func (e Entry) Actor() string {
	if i := slices.Index(e.Tools, "--actor"); i >= 0 && i+1 < len(e.Tools) {
		return e.Tools[i+1]
	}
	for _, v := range e.Env {
		if name, value, _ := strings.Cut(v, "="); name == "TASKER_ACTOR" {
			return value
		}
	}
	return ""
}

// In JSON, TOML and the plug-in alike: the program of an entry, the arguments of the tool server, the command of a start
// hook, and a variable with its value. No start of the program pays for them.
var (
	started  = words.Pattern(`"?command"?\s*[:=]\s*\[?\s*("(?:[^"\\]|\\.)*")`)
	tooled   = words.Pattern(`"mcp"(?:\s*,\s*"(?:[^"\\]|\\.)*")*`)
	quoted   = words.Pattern(`"(?:[^"\\]|\\.)*"`)
	hooks    = words.Pattern(`"(?:command|bash)"\s*:\s*("(?:[^"\\]|\\.)*")`)
	eventOf  = words.Pattern(` hook ([a-z]+) `)
	assigned = words.Pattern(`"?\b(TASKER_[A-Z]+)"?\s*[:=]\s*("(?:[^"\\]|\\.)*")`)
)

// Written returns how an agent starts us. It refuses an agent that is not set up.
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
	e.Title, e.Client, e.Program = w.agent.title, w.agent.client, unquoted(called[1])
	for _, arg := range quoted().FindAll(tooled().Find(text), -1) {
		e.Tools = append(e.Tools, unquoted(arg))
	}
	tools, shell, split := bytes.Cut(text, []byte("["+policy+"]"))
	e.Env = variablesIn(tools)
	if split {
		e.Shell = variablesIn(shell)
	}
	for _, v := range w.agent.values {
		switch {
		case v.names[0] == "env":
			if value := w.valueIn(w.file(v.path), v.names); value != nil {
				e.Shell = append(e.Shell, v.names[1]+"="+unquoted(value))
			}
		case v.list && strings.EqualFold(v.names[len(v.names)-1], "sessionStart"):
			e.hook(w.hooksIn(w.valueIn(w.file(v.path), v.names)))
		case v.names[0] == "hooks":
			e.hook(w.hooksIn(w.valueIn(w.file(v.path), v.names)))
		}
	}
	for _, t := range w.agent.whole {
		src := w.file(t.path).after
		e.Shell = append(e.Shell, variablesIn(src)...)
		e.hook(w.hooksIn(src))
	}
	if i := slices.IndexFunc(e.Hooks, func(c Called) bool { return c.Event == "end" }); i >= 0 {
		last := e.Hooks[i]
		e.Hooks = append(slices.Delete(e.Hooks, i, i+1), last)
	}
	return e, w.err
}

// hook adds hooks: of those for the start the first counts, which an earlier version wrote without an event.
func (e *Entry) hook(called []Called) {
	for _, c := range called {
		switch {
		case c.Event != "start" && c.Event != "":
			e.Hooks = append(e.Hooks, c)
		case e.Hook == "":
			e.Hook = c.Command
		}
	}
}

// hooksIn returns the commands of ours in a list of hooks.
func (w *work) hooksIn(src []byte) (out []Called) {
	for _, m := range hooks().FindAllSubmatch(src, -1) {
		if w.agent.isHook(m[1]) {
			c := Called{Command: unquoted(m[1])}
			if event := eventOf().FindStringSubmatch(c.Command); event != nil {
				c.Event = event[1]
			}
			out = append(out, c)
		}
	}
	return out
}

func variablesIn(src []byte) (out []string) {
	for _, v := range assigned().FindAllSubmatch(src, -1) {
		out = append(out, string(v[1])+"="+unquoted(v[2]))
	}
	slices.Sort(out)
	return slices.Compact(out)
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
	o.agent = name
	who := cmp.Or(o.Actor, o.Default, name)
	var out []string
	for _, t := range w.agent.more {
		src := w.file(t.path).after
		b, ok := t.comment.find(src, name)
		if !ok || len(o.shell()) == 0 || bytes.Contains(src[b.at.from:b.at.to], []byte(policy)) {
			continue
		}
		if rest := t.comment.cut(src, b); !bytes.Contains(rest, []byte("TASKER_ACTOR")) {
			out = append(out, fmt.Sprintf("%s has a [%s] of its own, so the shell of %s does not act as %s: add to its set { %s }",
				t.path, policy, w.agent.title, who, pairs(o.shell(), " = ")))
		}
	}
	for _, v := range w.agent.values {
		if v.names[len(v.names)-1] != "TASKER_ACTOR" {
			continue
		}
		if said := string(w.valueIn(w.file(v.path), v.names)); said != "" && said != quote(who) {
			out = append(out, fmt.Sprintf("%s says %s for %s, so the shell of %s does not act as %s",
				v.path, said, strings.Join(v.names, "."), w.agent.title, who))
		}
	}
	return out, w.err
}
