package prime

import (
	"fmt"
	"strings"
	"time"

	"tasker/internal/bundle/tokens"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/safetext"
	"tasker/internal/text/words"
)

// The bounds, in o200k tokens.
const (
	maxManual = 1500
	maxShort  = 300
)

// Manual returns the whole manual, in less than 1,500 tokens.
func Manual(s State, commands []Command) string {
	return within(maxManual, func(d detail) string { return manual(s, commands, d) })
}

// Short returns a manual of a few lines, in less than 300 tokens. For tools it holds what their instructions do not
// say.
func Short(s State) string {
	return within(maxShort, func(d detail) string { return short(s, d) })
}

// detail is how much of the project's own text to include: how many of each thing, and how long each may be.
type detail struct{ few, long int }

// details are tried from the fullest to the last, which includes none of that text.
var details = []detail{{8, 80}, {5, 60}, {3, 40}, {2, 24}, {1, 12}, {0, 0}}

// within writes with as much detail as fits in the limit.
func within(limit int, write func(detail) string) string {
	var text string
	for _, d := range details {
		text = write(d)
		if tokens.AtMost(text) < limit {
			return text
		}
	}
	return text
}

func manual(s State, commands []Command, d detail) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Working with tasker")
	line("%s", s.who(d))
	s.holds(line, d)
	s.situation(line, d)
	s.people(line, d)
	line("%s Here it stands between « and ».", safetext.Mark)
	line("")
	line("## The loop")
	words := s.speech()
	for i, step := range words.loop {
		if strings.Contains(step, "%s") {
			step = fmt.Sprintf(step, s.lease())
		}
		line("%d. %s", i+1, step)
	}
	line("")
	if s.Project != "" {
		line("## The rules of %s", s.Project)
		s.rules(line, d)
		line("")
	}
	line("%s", words.calls)
	if s.unplanned() != "" { // how to plan takes their room
		commands = nil
	}
	for _, c := range commands {
		line(words.call, c.Use, c.Summary)
	}
	return b.String()
}

func short(s State, d detail) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", s.who(d))
	s.holds(line, detail{min(d.few, 2), min(d.long, 40)})
	switch {
	case s.unplanned() != "":
		line("%s", s.begin())
	case s.Project != "":
		line("Project %s: %d ready for you.", s.Project, s.Holdable)
	case len(s.Projects) == 0:
		line("%s", s.nowhere())
	}
	s.people(line, detail{min(d.few, 3), min(d.long, 24)})
	if s.Face == Tools {
		return b.String()
	}
	line("%s", words.Either(s.unplanned() == "", s.speech().short, s.speech().brief))
	line("%s", safetext.Reminder)
	return b.String()
}

func (s State) who(d detail) string {
	return fmt.Sprintf("You are %s, %s%s (by %s).", name(s.Actor, max(d.long, 12)), words.Either(s.Human, "a human", "an agent"),
		words.When(len(s.Roles) > 0 && d.few > 0, " with the roles "+names(s.Roles, d.few, d.long)), s.How)
}

func (s State) holds(line func(string, ...any), d detail) {
	if len(s.Holds)+s.More == 0 {
		line("You hold nothing.")
		s.news(line, d)
		return
	}
	shown := s.Holds[:min(len(s.Holds), max(d.few, 1))]
	for _, h := range shown {
		left := "until you release it"
		if h.LeftMs != nil {
			left = "for " + words.Span(time.Duration(*h.LeftMs)*time.Millisecond)
		}
		line("You hold %s %s (fence %d, %d of %d criteria): %s Go on: %s.",
			h.ID, left, h.Fence, h.Checked, h.Total, quote(h.Title, d.long), fmt.Sprintf(s.speech().goOn, h.ID))
	}
	if more := len(s.Holds) + s.More - len(shown); more > 0 {
		line("You hold %d more: %s.", more, s.speech().whoami)
	}
	s.news(line, d)
}

// news writes what others did with the tasks that the reader holds.
func (s State) news(line func(string, ...any), d detail) {
	for _, text := range s.News[max(0, len(s.News)-max(d.few, 1)):] {
		line("News: %s", quote(text, 2*d.long))
	}
}

func (s State) situation(line func(string, ...any), d detail) {
	switch {
	case s.unplanned() != "":
		line("%s", s.begin())
		return
	case s.Project == "" && len(s.Projects) == 0:
		line("%s", s.nowhere())
		return
	case s.Project == "":
		line("There are %d projects: %s. Name one with %s.", len(s.Projects), names(s.Projects, d.few, 64), s.speech().project)
		return
	}
	c := s.Counts
	line("Project %s%s: %d open (%d ready, %d for you), %d in progress, %d in review, %d done, %d cancelled.",
		s.Project, words.When(s.Name != "" && d.long > 0, " "+quote(s.Name, d.long)), c.Open, s.Ready, s.Holdable, c.InProgress, c.InReview, c.Done, c.Cancelled)
	if s.Archived {
		line("It is archived: nothing in it can be changed.")
		return
	}
	if len(s.Next) == 0 {
		line("Nothing is ready for you now.")
	}
	for _, t := range s.Next[:min(len(s.Next), min(d.few, 3))] {
		line("Ready for you: %s %s", t.ID, quote(t.Title, d.long))
	}
}

// people writes whom the reader can ask: the declared humans, with their roles.
func (s State) people(line func(string, ...any), d detail) {
	all := s.Policy.Humans
	if len(all) == 0 || d.few == 0 {
		return
	}
	said := words.Each(all[:min(len(all), d.few)], func(h task.Actor) string {
		return name(h.Name, d.long) + words.When(len(h.Roles) > 0, " ("+names(h.Roles, min(d.few, 3), d.long)+")")
	})
	if more := len(all) - d.few; more > 0 {
		said = append(said, fmt.Sprintf("%d more", more))
	}
	line("People who answer, review and approve: %s.", words.List(said))
}

func (s State) lease() string {
	switch ms := s.Policy.LeaseMs; {
	case ms == nil:
		return words.Span(time.Duration(task.DefaultLeaseMs) * time.Millisecond)
	case *ms == 0:
		return "no end"
	default:
		return words.Span(time.Duration(*ms) * time.Millisecond)
	}
}

// rules writes what the project's policy requires.
func (s State) rules(line func(string, ...any), d detail) {
	p := s.Policy
	line("- Handed out by %s.", task.SelectWords(s.Selection))
	line("- Tasks that declare nothing are %s. An agent never holds a human_only one; %s.%s", p.TaskAutonomy(""),
		words.Either(p.DeclaresHuman, "a person closes supervised ones, from review", "a person looks at what agents close of supervised ones"),
		words.When(len(p.MayExecute) > 0 && d.few > 0, " Tasks without a list of their own take one of: "+names(p.MayExecute, d.few, d.long)+"."))
	gates, commands := p.GateNames(), false
	for _, g := range gates[:min(len(gates), d.few)] {
		kinds, _ := p.GateFor(task.Opt(g))
		if len(kinds) == 0 {
			continue // the review policy names it
		}
		line("- Gate %s asks for evidence of kind %s.", name(g, d.long), names(kinds, d.few, d.long))
		commands = commands || proven.Asks(kinds)
	}
	if commands {
		line("- A kind that begins with `$ ` is a command: only its run counts, and `tasker prove ID` runs what is missing.")
	}
	if more := len(gates) - d.few; more > 0 {
		line("- There are %d more gates: a task's bundle says what its own asks for.", more)
	}
	required := p.RequiredOfAgents(&task.Task{})
	for _, r := range required[:min(len(required), d.few)] {
		line("- Before done every task needs: %s.", quote(r.String(), d.long))
	}
	if len(required) > d.few || len(p.ReviewPolicy) > 0 || p.Record != nil && len(p.Record.ReviewPolicy) > 0 {
		line("- There are further approvals, some by gate: a task's bundle lists them. Only humans approve.")
	}
	if p.NotesOfAgents() {
		line("- Done needs at least one note.")
	}
	if p.DeclaresHuman && !s.Human {
		line("- People are declared here: you cannot pass over missing evidence, move what you may not hold, nor loosen what a task asks for. " +
			"You close only what you could claim, and nothing with open parts; a supervised task you take to review; " +
			"what was sent back needs a new tick or evidence; you do not cancel what has a gate, but ask.")
	}
	if s.Budget > 0 {
		line("- Bundles are cut to %d tokens.", s.Budget)
	}
	if len(s.Track) > 0 && d.few > 0 {
		line("- Follow the guidance in %s; a bundle warns when it changed since your claim.", names(s.Track, d.few, d.long))
	}
}
