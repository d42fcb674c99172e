package render

import (
	"fmt"

	"tasker/internal/cli/frame"
	"tasker/internal/core/work"
	"tasker/internal/words"
)

// Move prints where a task is now, what became ready by it, and what was claimed next.
func Move(f *frame.Factory, out work.MoveOut) {
	if !f.Flags.Quiet {
		f.Out.Printf("%s ", out.Task.ID)
		f.Out.Spans(Status(out.Task.Status))
		if out.From == out.Task.Status {
			f.Out.Printf(", as it was\n")
		} else {
			f.Out.Printf(", was %s\n", StatusWord(out.From))
		}
		if len(out.Unblocked) > 0 {
			which := ""
			if n := len(out.Unblocked); out.UnblockedTotal > n {
				which = fmt.Sprintf(" (the first %d of %d)", n, out.UnblockedTotal)
			}
			f.Out.Printf("Now ready%s: %s\n", which, words.List(out.Unblocked))
		}
	}
	f.Warn(out.Warnings)
	if out.Next != nil {
		f.Say("\n")
		Next(f, *out.Next)
	}
}
