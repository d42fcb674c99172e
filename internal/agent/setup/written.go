package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/fault/hint"
)

// Entry is how an agent starts our tool server, as its files say.
type Entry struct {
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
	started  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"?command"?\s*[:=]\s*\[?\s*("(?:[^"\\]|\\.)*")`) })
	assigned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(TASKER_[A-Z]+)"\s*[:=]\s*("(?:[^"\\]|\\.)*")`) })
)

// Written returns the entry of the tool server in an agent's files. It refuses an agent that is not set up.
func Written(name string, files Files) (e Entry, err error) {
	a, err := lookup(name)
	if err != nil {
		return e, err
	}
	text, err := a.entry(files)
	if err != nil {
		return e, err
	}
	called := started().FindSubmatch(text)
	if called == nil {
		return e, fault.Decline("%s is not set up here", a.title).WithHint("set it up: %s", hint.Command("setup "+a.name))
	}
	e.Program = unquoted(called[1])
	for _, v := range assigned().FindAllSubmatch(text, -1) {
		e.Env = append(e.Env, string(v[1])+"="+unquoted(v[2]))
	}
	slices.Sort(e.Env)
	e.Env = slices.Compact(e.Env)
	return e, nil
}

// entry returns the text of the tool server's entry; empty if there is none.
func (a agent) entry(files Files) ([]byte, error) {
	w := &work{files: files, agent: a}
	for _, v := range a.values {
		if v.names[len(v.names)-1] != "tasker" {
			continue
		}
		f, err := w.place(v)
		if err != nil || f.after == nil {
			return nil, err
		}
		at, found, err := find(f.after, v.names)
		if err != nil {
			return nil, unreadable(f.path, err)
		}
		if found < len(v.names) {
			return nil, nil
		}
		return f.after[at.StartOffset:at.EndOffset], nil
	}
	for _, t := range a.more {
		f, err := w.file(t.path)
		if err != nil {
			return nil, err
		}
		if b, ok := t.comment.find(f.after, a.name); ok {
			return f.after[b.at.from:b.at.to], nil
		}
	}
	return nil, nil
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
	a, err := lookup(name)
	if err != nil {
		return nil, err
	}
	after := func(path string) ([]byte, error) {
		if i := slices.IndexFunc(changes, func(c Change) bool { return c.Path == path }); i >= 0 {
			return changes[i].After, nil
		}
		src, err := files.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return src, err
	}
	var out []string
	for _, t := range a.more {
		src, err := after(t.path)
		if err != nil {
			return nil, err
		}
		b, ok := t.comment.find(src, a.name)
		if !ok || bytes.Contains(src[b.at.from:b.at.to], []byte(policy)) {
			continue
		}
		if rest := t.comment.cut(src, b); !bytes.Contains(rest, []byte("TASKER_ACTOR")) {
			out = append(out, fmt.Sprintf("%s has a [%s] of its own, so the shell of %s does not act as %s: add to its set { %s }",
				t.path, policy, a.title, o.Actor, pairs(o, " = ")))
		}
	}
	for _, v := range a.values {
		if v.names[len(v.names)-1] != "TASKER_ACTOR" {
			continue
		}
		src, err := after(v.path)
		if err != nil || src == nil {
			return out, err
		}
		at, found, err := find(src, v.names)
		if err != nil || found < len(v.names) {
			return out, err
		}
		if said := string(src[at.StartOffset:at.EndOffset]); said != quote(o.Actor) {
			out = append(out, fmt.Sprintf("%s says %s for %s, so the shell of %s does not act as %s", v.path, said, strings.Join(v.names, "."), a.title, o.Actor))
		}
	}
	return out, nil
}
