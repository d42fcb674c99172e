package work

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// moveOptions holds the options of `tasker move` and its short forms.
type moveOptions struct {
	in     work.MoveIn
	why    *string // --because, which is --note by another name
	prove  bool
	landed bool
	fence  *int64
}

// NewMove returns the command `tasker move`.
func NewMove(f *frame.Factory) *cobra.Command {
	o := &moveOptions{}
	return f.Command(frame.Spec{
		Use: "move ID STATUS", Short: op.Move.Op.Summary, IDs: true, Args: frame.Exactly("the ID of a task", "a STATUS"),
		Example:  []string{"tasker move demo-4 in_review", "tasker move demo-4 done --check 1,2 --evidence test=ci/123"},
		Long:     "Statuses: " + words.List(task.Statuses) + ".",
		Complete: frame.InTurn(f.Completing().Tasks, frame.Offering(task.Statuses)),
		Flags:    o.flags(),
	}, o.run)
}

func (o *moveOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	return o.move(ctx, f, args[:1], args[1])
}

// flags returns the flags that move and its short forms share.
func (o *moveOptions) flags() []frame.Flag {
	return []frame.Flag{
		frame.Bool(&o.in.Force, "force", "pass over unchecked criteria and missing evidence; the override is logged"),
		frame.MaybeInt(&o.in.ExpectedVersion, "expected-version", "refuse if the task has another version"),
		frame.Ints(&o.in.Check, "check", "tick these criteria first, such as 1,2"),
		frame.MaybeInt(&o.in.By, "by", "the evidence that these ticks rest on, by its id"),
		frame.Evidence(&o.in.Evidence, "record this evidence first (can be given again)"),
		frame.MaybeText(&o.in.Note, "note", "add this note first (- reads standard input)"),
		frame.Bool(&o.in.DryRun, "dry-run", "say what is missing and what it would rest on, and record nothing"),
		frame.Fence(&o.fence),
	}
}

// andNext is the flag of the moves that end a worker's task.
func (o *moveOptions) andNext() []frame.Flag {
	return []frame.Flag{frame.Bool(&o.in.Next, "next", "claim the next task in the same step")}
}

// because is --because where a note says why: another name for --note.
func (o *moveOptions) because() []frame.Flag {
	return []frame.Flag{frame.MaybeText(&o.why, "because", "the same as --note"), frame.Hidden("because")}
}

// move moves tasks to a status.
func (o *moveOptions) move(ctx context.Context, f *frame.Factory, ids []string, to string) error {
	if o.why != nil && o.in.Note != nil {
		return bothReasons()
	}
	note, err := f.Given(cmp.Or(o.in.Note, o.why))
	if err != nil {
		return err
	}
	in := o.in
	in.To, in.Note = to, note
	if len(ids) > 1 && (in.ExpectedVersion != nil || o.fence != nil || in.Next || o.prove) {
		return fault.Bad("--expected-version, --fence, --next and --prove are for one task, and %d are named", len(ids))
	}
	if err := o.checkProof(); err != nil {
		return err
	}
	return frame.Each(ctx, f, ids, func(a *frame.Args, id string) (work.MoveOut, error) {
		if in.Task, in.Fence = id, a.Fence(o.fence); a.Err != nil {
			return work.MoveOut{}, a.Err
		}
		if in.DryRun {
			return o.try(ctx, f, in)
		}
		var proved []string
		if o.prove {
			if proved, err = o.proveFirst(ctx, f, &in); err != nil {
				return work.MoveOut{}, err
			}
		}
		if err := o.checkLanded(ctx, f, id); err != nil {
			return work.MoveOut{}, err
		}
		in, changed := workspace.Carried(ctx, f, in, workspace.Reading(f))
		out, err := frame.Call(ctx, f, op.Move, in)
		out.Warnings = slices.Concat(proved, out.Warnings)
		if err != nil && to == string(task.Done) {
			err = staleHint(ctx, f, id, err)
		}
		if err == nil && out.Task.Status == task.Done {
			if said := workspace.Closed(ctx, f, string(out.Task.ID), changed); said != "" {
				out.Warnings = append(out.Warnings, said)
			}
			if changed != nil {
				var said []string
				out.Outside, said = workspace.Outside(ctx, f, out.Task, false, changed)
				out.Warnings = append(out.Warnings, said...)
			}
		}
		return out, err
	}, func(f *frame.Factory, out work.MoveOut) {
		if out.DryRun {
			render.Tried(f, out, task.Status(to))
			return
		}
		render.Move(f, out)
		if out.From != out.Task.Status {
			f.Echo(ctx, out.Task.ID, out.Task.Title, inverse(out))
		}
	})
}

// try answers a dry run, with what only this machine knows: the files that lie outside the task's touches, and, with
// --landed, whether its work is on the base.
func (o *moveOptions) try(ctx context.Context, f *frame.Factory, in work.MoveIn) (work.MoveOut, error) {
	in, _ = workspace.Carried(ctx, f, in, workspace.Reading(f))
	out, err := frame.Call(ctx, f, op.Move, in)
	if err != nil || in.To != string(task.Done) {
		return out, err
	}
	var said []string
	out.Outside, said = workspace.Outside(ctx, f, out.Task, false, nil)
	out.Warnings = append(out.Warnings, said...)
	if err := o.checkLanded(ctx, f, in.Task); err != nil {
		if !fault.Is(err, fault.Declined) {
			return out, err
		}
		out.Closable, out.Missing = new(false), append(out.Missing, "landing: "+fault.Of(err).Message)
	}
	return out, nil
}

// inverse returns the call that undoes a move.
func inverse(out work.MoveOut) hint.Call {
	if out.Task.Status.Closed() && !out.From.Closed() {
		return hint.Reopen(out.Task.ID)
	}
	return hint.Command("move " + string(out.Task.ID) + " " + string(out.From))
}

// staleHint adds to a refusal of done which evidence has become stale.
func staleHint(ctx context.Context, f *frame.Factory, id string, refusal error) error {
	if f.Flags.JSON || !fault.Is(refusal, fault.Declined) {
		return refusal
	}
	b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: id})
	if err != nil {
		return refusal
	}
	refused := fault.Of(refusal)
	return refused.AndHint(f.Staleness().Words(b, refused.Missing)...)
}

// ofCurrent is help for the short forms, which need no ID.
const ofCurrent = "\nWithout an ID: the task of the workspace you stand in, or the one that you hold."

// shortForm returns a command that moves tasks to one status; s holds what it has in addition to move.
func (o *moveOptions) shortForm(f *frame.Factory, to task.Status, s frame.Spec) *cobra.Command {
	s.IDs, s.Many, s.Flags = true, true, append(o.flags(), s.Flags...)
	s.Long = "Short for: tasker move ID " + string(to) + s.Long
	return f.Command(s, func(ctx context.Context, f *frame.Factory, args []string) error {
		return o.move(ctx, f, args, string(to))
	})
}

// NewReview returns the command `tasker review`.
func NewReview(f *frame.Factory) *cobra.Command {
	o := &moveOptions{}
	return o.shortForm(f, task.InReview, frame.Spec{
		Use: "review [ID…]", Short: "Hand a task over for review", Args: frame.Between(0, -1), Long: ofCurrent,
		Example: []string{
			`tasker review demo-4 --check 1 --note "ready to look at"`,
			"tasker review demo-4 --next   # and claim the next one in the same step",
		},
		Flags: o.andNext(),
	})
}

// NewDone returns the command `tasker done`.
func NewDone(f *frame.Factory) *cobra.Command {
	o := &moveOptions{}
	return o.shortForm(f, task.Done, frame.Spec{
		Use: "done [ID…]", Short: "Close a task as done; the refusal lists all that is missing", Args: frame.Between(0, -1),
		Long: ofCurrent + "\n\n" + `With --prove it is prove, then done: it runs the lines of the gate that are missing, stale or do not count, and the criteria
of --check are ticked by what ran. A line that fails leaves the task as it is (exit 1), and so does a line that was not run
or a tick that was not made (exit 3).`,
		Example: []string{
			"tasker done demo-4",
			"tasker done demo-4 --check 1,2 --evidence test=ci/123",
			"tasker done demo-4 --prove --check 1,2   # run what its gate asks for first, and tick by that",
			"tasker done demo-4 --dry-run   # what is missing, and what it would rest on",
		},
		Flags: append(o.andNext(), frame.Bool(&o.prove, "prove", "first run the lines of its gate that do not count, as prove does; --check ticks by what ran"),
			frame.Bool(&o.landed, "landed", "refuse while its work is not on the base")),
	})
}

// NewCancel returns the command `tasker cancel`.
func NewCancel(f *frame.Factory) *cobra.Command {
	o := &moveOptions{}
	return o.shortForm(f, task.Cancelled, frame.Spec{
		Use: "cancel ID…", Short: "Close a task without doing it", Args: frame.Between(1, -1, "the ID of a task"),
		Example: []string{`tasker cancel demo-4 --note "superseded by demo-9"`}, Flags: o.because(),
	})
}

// NewReopen returns the command `tasker reopen`.
func NewReopen(f *frame.Factory) *cobra.Command {
	o := &moveOptions{}
	return o.shortForm(f, task.Open, frame.Spec{
		Use: "reopen ID…", Short: "Open a task again", Args: frame.Between(1, -1, "the ID of a task"), Flags: o.because(),
		Example: []string{"tasker reopen demo-4", `tasker reopen demo-4 --note "it fails on Windows"`},
	})
}

// bothReasons refuses a reason that is given twice.
func bothReasons() error {
	return fault.Bad("--because and --note are two names for one text").WithHint("leave one of them out")
}

// checkLanded refuses, with --landed, to close a task whose work is not on its base.
func (o *moveOptions) checkLanded(ctx context.Context, f *frame.Factory, id string) error {
	if !o.landed {
		return nil
	}
	l, err := workspace.Landing(ctx, f, id, true, nil)
	switch {
	case err != nil:
		return err
	case l == nil:
		return fault.Decline("%s is not closed: neither a workspace on this machine nor evidence that was run in this repository shows where its work is", id).
			WithHint("prove it here, or leave out --landed")
	case !l.HasLanded():
		return fault.Decline("%s is not closed: %s", l.Task, l.Words()).WithHint("land it first, or leave out --landed")
	}
	return nil
}

// returnOptions holds the options of `tasker return`.
type returnOptions struct {
	because, note string // two names for one text
	move          moveOptions
}

// NewReturn returns the command `tasker return`.
func NewReturn(f *frame.Factory) *cobra.Command {
	o := &returnOptions{}
	return f.Command(frame.Spec{
		Use: "return ID --because TEXT", Short: "Send a task in review back to open, and say why", IDs: true, Args: frame.Exactly("the ID of a task"),
		Example: []string{`tasker return demo-4 --because "the error path has no test"`},
		Flags: []frame.Flag{
			frame.String(&o.because, "because", "what has to change (- reads standard input)"),
			frame.String(&o.note, "note", "the same as --because"), frame.Hidden("note"),
			frame.MaybeInt(&o.move.in.ExpectedVersion, "expected-version", "refuse if the task has another version"),
			frame.Fence(&o.move.fence),
		},
	}, o.run)
}

func (o *returnOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.because != "" && o.note != "" {
		return bothReasons()
	}
	if o.because = cmp.Or(o.because, o.note); o.because == "" {
		return fault.Bad("say why it goes back").WithHint(`add --because "…": the next worker reads it`)
	}
	a := f.Args(ctx)
	b, err := frame.CallWith(a, op.Show, reading.ShowIn{Task: a.Task(args[0])})
	if err != nil {
		return err
	}
	if err := b.Task.CheckReturn(); err != nil {
		return err
	}
	o.move.in.Note = &o.because
	if o.move.in.ExpectedVersion == nil { // nothing may change between the read and the move
		o.move.in.ExpectedVersion = &b.Task.Version
	}
	return o.move.move(ctx, f, []string{string(b.Task.ID)}, string(task.Open))
}
