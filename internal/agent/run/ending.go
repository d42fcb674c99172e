package run

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"tasker/internal/text/words"
)

// Class says what the end of a command means for the commands after it.
type Class string

// The classes. An ordinary end is decided by its exit code: 0 is a success, and any other a failed attempt. The others
// are no attempt at the task, which did nothing wrong.
const (
	Ordinary Class = ""
	Limit    Class = "limit"  // a usage limit: wait until it ends
	Outage   Class = "outage" // the service behind the command does not answer: wait a little
	Setup    Class = "setup"  // no command can succeed before a person mends the setup
)

// The exit codes by which a command itself says so (EX_TEMPFAIL and EX_CONFIG of sysexits.h).
const (
	exitNotNow = 75
	exitSetup  = 78
)

// Ended is how a command ended, with the end of what it printed.
type Ended struct {
	ExitCode int // -1 if a signal ended it
	Took     time.Duration
	Tail     string
	Stalled  time.Duration // it was ended because it had printed nothing for this long; else 0

	// What the agent's table says about what it printed; without a table the exit code decides.
	Class   Class
	Until   time.Time // when the limit ends; zero if that was not told
	Message string    // the agent's own message, without its framing; else the last line counts
}

// class returns what the end means, by what was printed if that is known, else by the exit code.
func (e Ended) class() Class {
	switch {
	case e.Class != Ordinary:
		return e.Class
	case e.ExitCode == exitNotNow:
		return Limit
	case e.ExitCode == exitSetup:
		return Setup
	}
	return Ordinary
}

// maxLine limits how much of a line is quoted.
const maxLine = 300

// line returns what the command said last, in one line.
func (e Ended) line() string {
	last := strings.TrimSpace(e.Message)
	if last == "" {
		last = strings.TrimSpace(e.Tail)
	}
	return words.Cut(strings.TrimSpace(last[strings.LastIndexByte(last, '\n')+1:]), maxLine)
}

// how says in words how it ended.
func (e Ended) how() string {
	how := "exit code " + strconv.Itoa(e.ExitCode)
	switch {
	case e.Stalled > 0:
		how = "ended because it had printed nothing for " + e.Stalled.String()
	case e.ExitCode < 0:
		how = "ended by a signal"
	}
	return how + " after " + e.Took.Round(time.Millisecond).String()
}

// alike reduces a line to what two failures of one cause have in common: their numbers, ids and paths differ. It returns
// the empty text for a line without a word of its own, which is like no other: nothing, or a closing brace.
func alike(line string) string {
	out, own := strings.Fields(strings.ToLower(line)), false
	for i, word := range out {
		switch {
		case strings.ContainsAny(word, `/\`):
			out[i] = "/"
		case strings.ContainsAny(word, "0123456789"):
			out[i] = "0"
		default:
			own = own || strings.ContainsFunc(word, unicode.IsLetter)
		}
	}
	return words.When(own, strings.Join(out, " "))
}
