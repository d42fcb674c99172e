package render

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/hint"
	"tasker/internal/op/summary"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// Idle says why there is no task to choose.
func Idle(f *frame.Factory, i *work.Idle) string {
	if i == nil {
		return "Nothing is ready"
	}
	if len(i.Advice) > 0 {
		return Begin(f, i.Advice)
	}
	if i.Finished {
		return "Everything is closed"
	}
	var parts []string
	for _, p := range []struct {
		n     int
		words string
	}{
		{i.Yours, "held by you"}, {i.Held, "held by others"}, {i.Unheld, "in progress without a holder"},
		{i.WaitingForHuman, "waiting for a human"}, {i.Blocked, "waiting for tasks"}, {i.NotForYou, "not for you"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.words))
		}
	}
	s := "Nothing is ready for you" + words.When(len(parts) > 0, ": "+strings.Join(parts, ", ")) +
		words.When(i.NextExpiry != 0, "; the next lease ends "+Ago(f, i.NextExpiry))
	if i.WaitMs > 0 {
		s += "; worth waiting for " + words.Span(time.Duration(i.WaitMs)*time.Millisecond)
	} else if i.Yours == 0 {
		s += "; nothing will be ready before a person acts"
	}
	return s
}

// Begin says how to begin in a project without tasks.
func Begin(f *frame.Factory, advice hint.Advice) string {
	return "There are no tasks yet; " + advice.In(f.AsCommand)
}

// Waits prints the first tasks that wait for somebody else, and who can end that.
func Waits(f *frame.Factory, i *work.Idle) {
	if i == nil || len(i.Waits) == 0 || f.Flags.Quiet {
		return
	}
	shown := min(len(i.Waits), summary.MaxWaits)
	if len(i.Waits) == shown+1 { // it takes no more room than a line that counts it
		shown++
	}
	f.Out.Printf("Waiting for others:\n")
	for _, w := range i.Waits[:shown] {
		f.Out.Printf("  %s %s: %s (%s)\n", w.Task, frame.Plain(f, w.Title), w.Why, frame.Plain(f, w.For))
	}
	if more := len(i.Waits) - shown; more > 0 {
		f.Out.Printf("  and %d more\n", more)
	}
}

// Next prints the chosen task and the reason for the choice, or why there is none.
func Next(f *frame.Factory, out work.NextOut) {
	if out.Task == nil {
		f.Out.Printf("%s\n", Idle(f, out.Idle))
		Waits(f, out.Idle)
		return
	}
	if out.Claimed != nil {
		Claim(f, *out.Claimed)
	}
	switch {
	case out.Bundle != nil && out.Claimed != nil:
		claimed(f, out.Bundle)
	case out.Bundle != nil:
		Bundle(f, out.Bundle)
	default:
		taskLine(f, out.Task)
	}
	if f.Flags.Quiet {
		return
	}
	if out.SelectionReason != "" {
		f.Out.Printf("\nChosen: %s\n", frame.Plain(f, string(out.SelectionReason)))
	}
	for _, s := range out.Skipped {
		why := s.Reason
		if out.Claimed != nil { // a worker has its task, and a preview is for choosing
			if why = cmp.Or(s.Brief, s.Reason); why == "held by "+out.Claimed.Actor {
				why = "held by you"
			}
		}
		f.Out.Printf("Passed over %s: %s\n", s.Task, frame.Plain(f, why))
	}
	if out.SkippedMore {
		f.Out.Printf("Passed over more of them\n")
	}
	if out.Claimed != nil {
		ending(f, out.Bundle)
	}
	if out.Claimed == nil {
		f.Out.Printf("\nTake it: %s\n", f.AsCommand(hint.Here("next --claim")))
	}
}
