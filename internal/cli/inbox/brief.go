package inbox

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/op"
)

// NewBrief returns the command `tasker brief`.
func NewBrief(f *frame.Factory) *cobra.Command {
	var in inbox.BriefIn
	return frame.Operation(f, frame.Spec{
		Use: "brief", Args: frame.Between(0, 0),
		Example: []string{"tasker brief", "tasker brief --since 1d"},
		Long:    "Your mark is the one that tasker estate seen keeps.",
		Flags: []frame.Flag{
			frame.String(&in.Since, "since", "from then on: an RFC 3339 time, a date, seconds since 1970, or a duration such as 2h back from now"),
		},
	}, op.Brief, func(a *frame.Args, _ []string) inbox.BriefIn {
		in.Slug, in.Since = a.Project(), f.Since(in.Since)
		return in
	}, showBrief)
}

// showBrief prints what each actor did.
func showBrief(f *frame.Factory, out inbox.BriefOut) {
	defer render.Runners(f, out.Runners)
	if len(out.Actors) == 0 {
		f.Say("Nothing was closed, reopened, forced, sent back or asked\n")
		return
	}
	for _, a := range out.Actors {
		f.Out.Line(term.Bold.Of(a.Actor), term.Textf(" (%s)", a.Kind))
		for _, did := range []struct {
			what  term.Span
			deeds []inbox.Deed
		}{
			{term.Green.Of("closed"), a.Closed}, {term.Red.Of("forced"), a.Forced}, {term.Yellow.Of("reopened"), a.Reopened},
			{term.Yellow.Of("let lapse"), a.Lapsed}, {term.Yellow.Of("sent back"), a.SentBack}, {term.Cyan.Of("asked"), a.Asked},
		} {
			for _, d := range did.deeds {
				f.Out.Line(term.Textf("  "), did.what,
					term.Textf("  %s  %s: %s (%s)", d.Task, d.Title, term.Cut(term.Inert(d.Text, false), 80), render.Ago(f, d.At)))
			}
		}
	}
	if out.More {
		f.Say("and more before that: %s\n", f.AsCommand(hint.Command("events -p "+out.Project)))
	}
}
