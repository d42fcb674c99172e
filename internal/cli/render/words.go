package render

import (
	"strings"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/hint"
	"tasker/internal/landing"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// The states of a task, each as a glyph and a word, so that colour is never the only sign.
var (
	Ready     = term.Green.Of("▷ ready")
	ForPeople = term.Yellow.Of("▷ for people") // ready, and only humans may hold it
	Held      = term.Blue.Of("◐ held")

	marks = map[string]term.Span{
		string(task.Open): term.Plain.Of("○ open"), string(task.InProgress): term.Blue.Of("◐ in progress"), string(task.InReview): term.Yellow.Of("◑ in review"),
		string(task.Done): term.Green.Of("● done"), string(task.Cancelled): term.Faint.Of("✕ cancelled"),
		task.States[task.StateReady]: Ready, task.States[task.StateHeld]: Held, task.States[task.StateUnheld]: term.Yellow.Of("◌ unheld"),
		task.States[task.StateWaiting]: term.Plain.Of("○ waiting"), task.States[task.StateAsked]: term.Yellow.Of("? asked"),
	}
)

// Status returns a status as a glyph and its word.
func Status(s task.Status) term.Span { return Mark(string(s)) }

// Mark returns the state of a task (ready, waiting, held and so on) or its status, as a glyph and a word.
func Mark(state string) term.Span {
	if mark, ok := marks[state]; ok {
		return mark
	}
	return term.Plain.Of("? " + state)
}

// StatusWord returns a status as people write it.
func StatusWord(s task.Status) string { return strings.ReplaceAll(string(s), "_", " ") }

// Ago says how long ago, or how far ahead, a time is, unless exact times were asked for. It returns "never" for the
// zero time.
func Ago(f *frame.Factory, at task.Time) string {
	switch {
	case at == 0:
		return "never"
	case f.Flags.Exact:
		return Exact(at)
	}
	return words.Ago(at.Go(), f.Now())
}

// Unlanded says how many finished tasks of a project are not on the base, since when, and how to see them.
func Unlanded(f *frame.Factory, project string, n landing.Unlanded) {
	if n.Tasks == 0 {
		return
	}
	count := words.Count(n.Tasks, "finished task is", "finished tasks are")
	if n.AtLeast() {
		count = "At least " + count
	}
	f.Out.Printf("%s not on the base, the first of them finished %s\n", count, Ago(f, n.Since))
	if f.ServerURL() == "" { // landing needs the repository and the database
		f.Say("What can land, in order: %s\n", f.AsCommand(hint.Command("land --ready --dry-run -p "+project)))
	}
}

// Exact returns a time to the second, in UTC.
func Exact(at task.Time) string { return at.Go().Format("2006-01-02 15:04:05Z") }

// Until says how long a claim lasts, or until when.
func Until(f *frame.Factory, at task.Time) string {
	if at == 0 {
		return "until released"
	}
	left := at.Go().Sub(f.Now())
	switch {
	case left <= 0:
		return "lapsed"
	case f.Flags.Exact:
		return "until " + Exact(at)
	}
	return "for " + words.Span((left + time.Second - 1).Truncate(time.Second)) // whoever asked for 2s is told so
}

// Changed returns the style of a line of a difference, by the sign that it begins with.
func Changed(sign byte) term.Style {
	return map[byte]term.Style{'+': term.Green, '-': term.Red}[sign]
}
