package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/core/people"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
	"tasker/internal/task/inbox"
	"tasker/internal/words"
)

// advice is the answer of tasker without a command: how things stand here, and what to do next.
type advice struct {
	Situation string          `json:"situation"`
	Commands  []string        `json:"commands"`
	Home      *people.HomeOut `json:"home"` // null where no project is meant
}

// home prints how things stand here and what to do next, on one screen.
func home(ctx context.Context, f *frame.Factory) error {
	a, err := advise(ctx, f)
	if err != nil {
		return err
	}
	return f.Answer(a, func() {
		if a.Home != nil {
			cockpit(f, *a.Home)
		} else {
			f.Out.Printf("%s\n", a.Situation)
		}
		for _, c := range a.Commands {
			f.Out.Printf("  %s\n", c)
		}
		f.Say("All commands: tasker --help\n")
	})
}

func advise(ctx context.Context, f *frame.Factory) (advice, error) {
	begin := advice{Situation: "There are no tasks here yet. Begin with a plan:", Commands: []string{
		remedy.Command("apply --example").String() + " > plan.json", f.AsCommand(remedy.Command("apply -f plan.json")),
	}}
	slug, err := f.Project()
	if err != nil {
		return advice{}, err
	}
	if slug == "" {
		begin.Commands = append([]string{f.AsCommand(remedy.Command("init"))}, begin.Commands...)
	}
	if f.NoDatabase() {
		return begin, nil
	}
	declared := slug != "" && f.Flags.Project == ""
	if slug == "" {
		all, err := frame.Call(ctx, f, op.Projects, core.None{})
		switch {
		case err != nil:
			return advice{}, err
		case len(all) == 0:
			return begin, nil
		case len(all) > 1:
			return choose(ctx, f, all)
		}
		slug = all[0].Slug
	}
	out, err := frame.Call(ctx, f, op.Home, reading.ProjectIn{Slug: slug})
	if declared && fault.Is(err, fault.NotFound) {
		return advice{Situation: slug + " is declared, and no plan was applied yet. Begin with one:", Commands: begin.Commands}, nil
	}
	if err != nil {
		return advice{}, err
	}
	return advice{Situation: situation(out), Commands: whatNext(f, out), Home: &out}, nil
}

// choose advises somebody for whom there are several projects.
func choose(ctx context.Context, f *frame.Factory, all []*task.Project) (advice, error) {
	me, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{})
	if err != nil {
		return advice{}, err
	}
	a := advice{Situation: fmt.Sprintf("There are %d projects; choose one with -p:", len(all))}
	if len(me.Holding) > 0 {
		a.Situation = holdingWords(me.Holding) + ". " + a.Situation
		a.Commands = append(a.Commands, f.AsCommand(remedy.Show(me.Holding[0].Task)))
	}
	const limit = 15 // the screen has 20 lines
	for _, p := range all[:min(len(all), limit)] {
		a.Commands = append(a.Commands, f.AsCommand(remedy.Command("status -p "+p.Slug)))
	}
	a.Commands = append(a.Commands, f.AsCommand(remedy.Command("estate")))
	return a, nil
}

// situation says in one sentence what matters most.
func situation(h people.HomeOut) string {
	switch {
	case len(h.Holding) > 0:
		return holdingWords(h.Holding)
	case len(h.Next) > 0:
		return fmt.Sprintf("Next in %s: %s %s", h.Project, h.Next[0].ID, term.Inert(h.Next[0].Title, false))
	}
	return h.Project + ": " + h.Situation.Sentence
}

func holdingWords(all []reading.Holding) string {
	h := all[0]
	s := fmt.Sprintf("You hold %s %s (%d of %d criteria): %s", h.Task, leaseWords(h.LeftMs), h.Progress.Checked, h.Progress.Total, term.Inert(h.Title, false))
	if more := len(all) - 1; more > 0 {
		s += fmt.Sprintf(", and %d more", more)
	}
	return s
}

func leaseWords(leftMs *int64) string {
	if leftMs == nil {
		return "until you release it"
	}
	return "for " + words.Span(time.Duration(*leftMs)*time.Millisecond)
}

// whatNext returns the commands that are most likely wanted: three at most.
func whatNext(f *frame.Factory, h people.HomeOut) []string {
	var calls []remedy.Call
	switch {
	case len(h.Holding) > 0:
		id := string(h.Holding[0].Task)
		calls = append(calls, remedy.Show(id), remedy.Command("done "+id+" --next"), remedy.Command("release "+id))
	case len(h.Next) > 0:
		calls = append(calls, remedy.Next(h.Project), remedy.Show(h.Next[0].ID), remedy.Command("ready -p "+h.Project))
	default:
		calls = append(calls, remedy.ListOf(h.Project), remedy.Command("events -p "+h.Project))
	}
	out := make([]string, len(calls))
	for i, c := range calls {
		out[i] = f.AsCommand(c)
	}
	return out
}

// How many of each the cockpit shows, so that all of it takes 20 lines at most: one for the project, three headed lists with a
// line for what is left out, who works on what, three commands and the way to the others.
const (
	maxWaiting = 3
	maxHolding = 2
	maxNext    = 2
	maxOthers  = 2
)

// cockpit prints a project on one screen.
func cockpit(f *frame.Factory, h people.HomeOut) {
	done, said := bar(h.Situation.Progress), h.Situation.Sentence
	f.Out.Spans(term.Bold.Of(h.Project), term.Textf("  "), term.Green.Of(done))
	if w := f.Out.Width(); w > 0 && term.Columns(h.Project+"  "+done+"  "+said) > w {
		f.Out.Printf("\n")
		f.Out.Flow("  ", "  ", term.Textf("%s", said))
	} else {
		f.Out.Printf("  %s\n", said)
	}
	waiting(f, h.Inbox)
	if n := len(h.Holding); n > 0 {
		heading(f, "You hold", n, maxHolding)
		for _, t := range h.Holding[:min(n, maxHolding)] {
			line(f, render.Held, string(t.Task), term.Textf("%s, %d of %d criteria: ", leaseWords(t.LeftMs), t.Progress.Checked, t.Progress.Total), t.Title)
		}
	}
	if n := len(h.Next); n > 0 {
		heading(f, "Next for you", h.Situation.Ready, maxNext)
		for _, c := range h.Next[:min(n, maxNext)] {
			line(f, render.Ready, string(c.ID), term.Plain.Of(""), c.Title)
		}
	}
	if n := len(h.Others); n > 0 {
		heading(f, "Others hold", h.Situation.Held-len(h.Holding), maxOthers)
		for _, t := range h.Others[:min(n, maxOthers)] {
			line(f, render.Held, string(t.Task), term.Textf("%s, %s: ", t.Actor, render.Until(f, t.ExpiresAt)), t.Title)
		}
	}
}

// heading prints what a list is, and how many there are where not all of them are shown.
func heading(f *frame.Factory, text string, total, shown int) {
	f.Out.Spans(term.Bold.Of(text))
	if total > shown {
		f.Out.Printf(" (%d of %d)", shown, total)
	}
	f.Out.Printf("\n")
}

// line prints a task in one line of the screen.
func line(f *frame.Factory, glyph term.Span, id string, what term.Span, title string) {
	title = term.Inert(title, false)
	if w := f.Out.Width(); w > 0 {
		title = term.Cut(title, max(8, w-term.Columns("  x "+id+"  "+term.Inert(what.Text, false))))
	}
	mark, _, _ := strings.Cut(glyph.Text, " ")
	f.Out.Spans(term.Textf("  "), glyph.Style.Of(mark), term.Textf(" "), term.Bold.Of(id), term.Textf("  "), what)
	f.Out.Printf("%s\n", title)
}

// waiting prints what waits for the reader, each with the command that settles it.
func waiting(f *frame.Factory, in people.InboxOut) {
	if len(in.Items) == 0 {
		return
	}
	heading(f, "Waits for you", in.Total, maxWaiting)
	for _, it := range in.Items[:min(len(in.Items), maxWaiting)] {
		settle := "  " + f.AsCommand(settles(it))
		why := term.Inert(it.Why, false)
		if w := f.Out.Width(); w > 0 {
			why = term.Cut(why, max(12, w-term.Columns("  ? "+string(it.Task)+"  "+settle)))
		}
		f.Out.Spans(term.Yellow.Of("  ? "), term.Bold.Of(string(it.Task)), term.Textf("  "), term.Textf("%s", why), term.Faint.Of(settle))
		f.Out.Printf("\n")
	}
}

// settles returns what somebody does about an inbox item.
func settles(it people.Item) remedy.Call {
	switch it.Kind {
	case inbox.ItemQuestion:
		return remedy.Command(fmt.Sprintf("answer %d TEXT", it.Question()))
	case inbox.ItemApproval, inbox.ItemVerification:
		return remedy.Approve(it.Task)
	case inbox.ItemDivergence:
		return remedy.Command("conflicts -p " + it.Project)
	case inbox.ItemSyncFailed:
		return remedy.Command("sync log -p " + it.Project)
	case inbox.ItemReview, inbox.ItemOverride, inbox.ItemLapse, inbox.ItemStalled, inbox.ItemUnheld, inbox.ItemFailing:
	}
	return remedy.Show(it.Task)
}

// bar returns how far a project is.
func bar(percent int) string {
	const wide = 12
	full := min(max(percent, 0), 100) * wide / 100
	return strings.Repeat("█", full) + strings.Repeat("░", wide-full) + fmt.Sprintf(" %d%%", percent)
}
