package reading

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// proofOptions holds the options of `tasker proof`.
type proofOptions struct{ in reading.ProofIn }

// NewProof returns the command `tasker proof`.
func NewProof(f *frame.Factory) *cobra.Command {
	o := &proofOptions{}
	return f.Command(frame.Spec{
		Use: "proof", Short: op.Proof.Op.Summary, Args: ofProject,
		Example: []string{"tasker proof", "tasker proof --days 7 --json"},
		Flags: []frame.Flag{
			frame.MaybeInt(&o.in.Days, "days", "how many days back (default 30)"),
			frame.String(&o.in.Only, "only", "only work that nothing proves (unproven), that was closed by force (forced), or is not on its base (unlanded)"),
			frame.MaybeInt(&o.in.Limit, "limit", "how many to show, up to 1000 (default 50)"),
		},
	}, o.run)
}

// ofProject refuses a task: proof is about a project.
func ofProject(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fault.Bad("proof is of all the closed work of a project, and %s names a task", words.Quoted(args[0])).
		WithHint("what one task was closed on: %s", hint.Here("show "+words.Shell(args[0])))
}

func (o *proofOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	a := f.Args(ctx)
	if o.in.Slug = a.Project(); a.Err == nil {
		if err := workspace.LookAgain(ctx, f, o.in.Slug); err != nil {
			f.Warn([]string{"what has landed by now was not looked at: " + fault.Of(err).Message})
		}
	}
	return frame.DoWith(a, op.Proof, o.in, showProof)
}

func showProof(f *frame.Factory, p reading.ProofOut) {
	if len(p.Closed) == 0 {
		f.Say("Nothing was closed in %s in the last %s\n", p.Project, words.Count(p.Days, "day", "days"))
		return
	}
	for _, c := range p.Closed {
		f.Out.Line(term.Bold.Of(string(c.Task)), term.Textf("  "), render.Status(c.Status), term.Textf("  %s", c.Title))
		f.Out.Printf("  closed %s%s%s\n", render.Ago(f, c.ClosedAt), words.When(c.ClosedBy != "", " by "+string(c.ClosedBy)),
			words.When(c.Recorded, ", recorded, not checked"))
		if rests := task.Resting(c.Criteria); rests != "" {
			f.Out.Printf("  ticks: %s\n", rests)
		}
		for _, k := range c.Criteria {
			if k.Rests == task.RestsOnSeen {
				f.Out.Printf("  criterion %d was seen: %s\n", k.Index, k.Note)
			}
		}
		for _, doubt := range task.Doubts(c.Criteria) {
			f.Out.Line(term.Textf("  "), term.Yellow.Of(doubt))
		}
		for _, e := range c.Evidence {
			f.Out.Printf("  evidence %s: %s\n", e.Kind, render.Evidence(f, e, c.FoundOn))
		}
		if older := c.Older.Words(); older != "" {
			f.Out.Printf("  %s\n", older)
		}
		for _, d := range c.Dropped {
			f.Out.Line(term.Textf("  "), term.Yellow.Of(d.Words()))
		}
		for _, s := range c.Stale {
			f.Out.Printf("  %s\n", s.Then())
		}
		if c.Tree == task.TreeUnknown {
			f.Out.Printf("  %s\n", task.UnknownThen)
		}
		for _, fallen := range c.Fallen {
			f.Out.Line(term.Textf("  "), term.Red.Of(fallen.Words()))
		}
		for _, a := range c.Approvals {
			f.Out.Printf("  %s by %s%s\n", a.Kind, a.Actor, words.When(a.Stale, ", no longer counts"))
		}
		if on := c.FoundOn.Words(); on != "" {
			f.Out.Printf("  %s, as seen %s\n", on, render.Ago(f, c.FoundOn.CheckedAt))
		}
		if c.NotLanded != "" {
			f.Out.Line(term.Textf("  "), term.Red.Of("not landed"), term.Textf(": %s", c.NotLanded))
		}
		if c.Changed != nil {
			f.Out.Printf("  changed since the claim: %s\n", words.Count(c.Changed.Total, "file", "files"))
		}
		if later := c.LaterWork.Words(); later != "" {
			f.Out.Line(term.Textf("  "), term.Yellow.Of(later))
		}
		for _, o := range c.Overrides {
			f.Out.Printf("  forced by %s past %s\n", o.Actor, words.List(o.Passed))
		}
	}
	f.Say("%d in %s: %d done, %d cancelled, %d with evidence, %d approved, %d forced%s%s\n", p.Tally.Total, words.Count(p.Days, "day", "days"),
		p.Tally.Done, p.Tally.Cancelled, p.Tally.Evidence, p.Tally.Approved, p.Tally.Overrides,
		words.When(p.Tally.NotLanded > 0, ", "+strconv.Itoa(p.Tally.NotLanded)+" not landed"),
		words.When(p.Tally.More, "; "+strconv.Itoa(len(p.Closed))+" are listed, more with --limit"))
}
