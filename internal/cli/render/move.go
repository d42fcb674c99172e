package render

import (
	"fmt"
	"strconv"
	"strings"

	"tasker/internal/asof"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/hint"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// Move prints the task's new status, the tasks that became ready, and the task claimed next.
func Move(f *frame.Factory, out work.MoveOut) {
	if !f.Flags.Quiet {
		was := words.Either(out.From == out.Task.Status, "as it was", "was "+StatusWord(out.From))
		f.Out.Line(term.Textf("%s ", out.Task.ID), Status(out.Task.Status), term.Textf(", %s", was))
		if len(out.Unblocked) > 0 && !claimedAlone(out) {
			n := len(out.Unblocked)
			which := words.When(out.UnblockedTotal > n, fmt.Sprintf(" (the first %d of %d)", n, out.UnblockedTotal))
			f.Out.Printf("Now ready%s: %s\n", which, words.List(out.Unblocked))
		}
	}
	f.Warn(out.Warnings)
	if out.Next != nil {
		f.Say("\n")
		Following(f, *out.Next)
	}
}

// claimedAlone reports whether the only task that became ready is the one that was claimed next, which is printed below.
func claimedAlone(out work.MoveOut) bool {
	return out.UnblockedTotal == 1 && out.Next != nil && out.Next.Task != nil && out.Next.Task.ID == out.Unblocked[0]
}

// Following prints the task that was claimed along with another step. A caller that takes whatever comes next does not ask
// why.
func Following(f *frame.Factory, next work.NextOut) {
	next.SelectionReason = ""
	Next(f, next)
}

// Tried prints what the dry run of a move found: whether it would pass, what is missing, and what the ticks rest on.
func Tried(f *frame.Factory, out work.MoveOut, to task.Status) {
	if *out.Closable {
		f.Out.Printf("%s can move to %s: nothing is missing\n", out.Task.ID, StatusWord(to))
	} else {
		f.Out.Printf("%s cannot move to %s yet; missing:\n", out.Task.ID, StatusWord(to))
	}
	for _, m := range out.Missing {
		f.Out.Printf("  %s\n", m)
	}
	var ticks []string
	for _, on := range []struct {
		rests task.Opt
		words string
	}{{task.RestsOnRun, "a run"}, {task.RestsOnSeen, "what was seen"}, {task.RestsOnSaid, "what was said"}, {task.RestsOnNothing, "nothing"}} {
		var which []string
		for _, r := range out.Rests {
			if r.Rests == on.rests {
				which = append(which, strconv.Itoa(r.Index)+words.When(r.By != 0, " by evidence "+strconv.FormatInt(int64(r.By), 10)))
			}
		}
		if len(which) > 0 {
			ticks = append(ticks, on.words+" ("+strings.Join(which, ", ")+")")
		}
	}
	if len(ticks) > 0 {
		f.Out.Printf("The ticks rest on %s\n", strings.Join(ticks, ", "))
	}
	f.Warn(out.Warnings)
}

// Ending prints how the holder of a task ends it, as the last line of what it reads about the task.
func Ending(f *frame.Factory, how hint.Advice) {
	if len(how) > 0 {
		f.Say("When it is done: %s\n", frame.Plain(f, how.In(f.AsCommand)))
	}
}

// Claim prints what is held, for how long, and with which fence.
func Claim(f *frame.Factory, c task.Claim) {
	f.Say("%s (fence %d)\n", Yours(f, c), c.Fence)
}

// Yours says for how long the caller holds a task. A lease can be so short that it has run out by the time it is said.
func Yours(f *frame.Factory, c task.Claim) string {
	if c.ExpiresAt != 0 && !c.ExpiresAt.Go().After(f.Now()) {
		return string(c.Task) + " was yours, and its lease has run out already"
	}
	return string(c.Task) + " is yours " + Until(f, c.ExpiresAt)
}

// Was says which point in time an answer describes, if it is not now.
func Was(f *frame.Factory, was *asof.Was) {
	if was == nil {
		return
	}
	f.Say("As it was at %s, after event %d%s\n", was.At, was.Event, words.When(was.Cut, ", as far back as can be shown"))
}
