// Package calls knows how agents are called where nobody watches, and what they print when they cannot work: at a usage
// limit, in an outage of their service, or without a login. A user's file adds agents and texts, or replaces ours.
package calls

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"tasker/internal/agent/run"
	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Agent is how an agent is called, and what it prints when it cannot work.
type Agent struct {
	Name    string   `json:"name" required:"true" about:"the name for --agent"`
	Call    []string `json:"call,omitzero" about:"the program and its arguments; the prompt comes on standard input"`
	Env     []string `json:"env,omitzero" about:"variables for it, each as NAME=VALUE"`
	Texts   []Text   `json:"texts,omitzero" about:"what it prints when it cannot work, tried before the built-in ones"`
	Replace bool     `json:"replace,omitzero" about:"leave out the built-in texts"`
}

// Text is something that an agent prints when it cannot work.
type Text struct {
	Class   run.Class `json:"class" required:"true" about:"limit, outage or setup"`
	Pattern string    `json:"pattern" required:"true" about:"a regular expression (RE2) for a line, case aside; a group named epoch, in or at tells when a limit ends"`

	line *regexp.Regexp
}

// Agents are the agents that can be called, by name.
type Agents []Agent

// Find returns the agent with a name, or a refusal that lists them.
func (a Agents) Find(name string) (Agent, error) {
	i := slices.IndexFunc(a, func(one Agent) bool { return one.Name == name })
	if i < 0 {
		names := words.Each(a, func(one Agent) string { return one.Name })
		return Agent{}, fault.Bad("there is no agent %s", words.Quoted(name)).WithHint("one of %s; agents.json in your configuration directory adds others", words.List(names))
	}
	return a[i], nil
}

// Line returns the call with words of the user's at its end.
func (a Agent) Line(more []string) []string { return slices.Concat(a.Call, more) }

// How many lines at the end of what an agent printed are looked at. One that ended well did its work, unless its last line
// says otherwise: some agents exit with 0 when they could not start.
const (
	lookedAt     = 20
	lookedAtWell = 1
)

// Class fills in what the end of a call means, by what the agent printed: the last line that a text matches decides.
func (a Agent) Class(e run.Ended, now time.Time) run.Ended {
	var lines []string
	for line := range strings.Lines(plainText(e.Tail)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	most := lookedAt
	if e.ExitCode == 0 {
		most = lookedAtWell
	}
	for _, line := range slices.Backward(lines[max(len(lines)-most, 0):]) {
		for _, t := range a.Texts {
			if m := t.line.FindStringSubmatch(line); m != nil {
				e.Class, e.Message = t.Class, line
				if t.Class == run.Limit {
					e.Until = t.until(m, now)
				}
				return e
			}
		}
	}
	return e
}

// escapes are the control sequences by which programs color what they print.
var escapes = words.Pattern("\x1b\\[[0-9;?]*[a-zA-Z]")

// plainText returns a text without colors.
func plainText(text string) string { return escapes().ReplaceAllString(text, "") }

// until returns when a limit ends, by the groups of its pattern; zero if none of them can be read.
func (t Text) until(match []string, now time.Time) time.Time {
	for i, group := range t.line.SubexpNames() {
		if match[i] == "" {
			continue
		}
		switch group {
		case "epoch":
			return epoch(match[i])
		case "in":
			return after(match[i], now)
		case "at":
			return at(match[i], now)
		}
	}
	return time.Time{}
}

// prepared returns a text with its pattern, or a refusal.
func (t Text) prepared() (Text, error) {
	if !slices.Contains([]run.Class{run.Limit, run.Outage, run.Setup}, t.Class) {
		return t, fault.Bad("%s is no class", words.Quoted(string(t.Class))).WithHint("limit, outage or setup")
	}
	line, err := regexp.Compile("(?i)" + t.Pattern)
	if err != nil {
		return t, fault.Bad("the pattern %s cannot be read: %v", words.Quoted(t.Pattern), err).WithHint("write a regular expression of RE2")
	}
	t.line = line
	return t, nil
}

// With returns the agents with those of a user's file: one of a known name adds its texts before the built-in ones, or
// takes their place, and what else it says replaces ours.
func (a Agents) With(file Agents) (Agents, error) {
	out := slices.Clone(a)
	for _, one := range file {
		i := slices.IndexFunc(out, func(o Agent) bool { return o.Name == one.Name })
		if i < 0 {
			if len(one.Call) == 0 {
				return nil, fault.Bad("the agent %s has no call", words.Quoted(one.Name)).WithHint("say in call how it is started")
			}
			i = len(out)
			out = append(out, Agent{Name: one.Name})
		}
		known := &out[i]
		if len(one.Call) > 0 {
			known.Call = one.Call
		}
		if one.Env != nil {
			known.Env = one.Env
		}
		texts := make([]Text, len(one.Texts))
		for i, t := range one.Texts {
			var err error
			if texts[i], err = t.prepared(); err != nil {
				return nil, err
			}
		}
		if !one.Replace {
			texts = slices.Concat(texts, known.Texts)
		}
		known.Texts = texts
	}
	slices.SortStableFunc(out, func(a, b Agent) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}
