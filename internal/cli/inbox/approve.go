package inbox

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/workspace"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/work"
)

// approveOptions holds the options of `tasker approve`.
type approveOptions struct {
	in   work.ApproveIn
	done bool
}

// NewApprove returns the command `tasker approve`.
func NewApprove(f *frame.Factory) *cobra.Command {
	o := &approveOptions{}
	return f.Command(frame.Spec{
		Use: "approve ID…", Short: op.Approve.Op.Summary, IDs: true, Many: true, Args: frame.Between(1, -1, "the ID of a task"),
		Example: []string{
			"tasker approve demo-4",
			`tasker approve demo-4 demo-5 --role lead --note "read both"`,
			"tasker approve demo-4 --done   # and close it",
			"tasker approve demo-4 --kind verification",
		},
		Long: "Only a person can approve: an actor that the configuration declares as human.\nWith --done the answer in JSON is {approval, moved}.",
		Flags: []frame.Flag{
			frame.OneOf(&o.in.Kind, "kind", []string{task.KindApproval, task.KindVerification}, "approval (a judgement) or verification (something is true)"),
			frame.String(&o.in.Role, "role", "the role in which you approve; you must hold it"),
			frame.String(&o.in.Note, "note", "a remark on it"),
			frame.MaybeInt(&o.in.ExpectedVersion, "expected-version", "the version that you read: refuse if the task has another"),
			frame.Bool(&o.done, "done", "then close the task as done"),
		},
	}, o.run)
}

func (o *approveOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if len(args) > 1 && o.in.ExpectedVersion != nil {
		return fault.Bad("--expected-version is for one task, and %d are named", len(args))
	}
	if o.done {
		return frame.Each(ctx, f, args, func(_ *frame.Args, id string) (approvedAndDone, error) {
			return approveAndClose(ctx, f, o.in, id)
		}, func(f *frame.Factory, out approvedAndDone) {
			showGiven(f, out.Approval) // what is missing would be in the refusal of the move
			frame.EchoStays(ctx, f, out.Approval.Task)
			render.Move(f, out.Moved)
		})
	}
	return frame.Each(ctx, f, args, func(a *frame.Args, id string) (work.ApproveOut, error) {
		o.in.Task = id
		return frame.CallWith(a, op.Approve, o.in)
	}, func(f *frame.Factory, a work.ApproveOut) {
		showGiven(f, a)
		showLeft(f, a)
		frame.EchoStays(ctx, f, a.Task)
	})
}

// approvedAndDone is the answer of approve --done: the answers of its two operations.
type approvedAndDone struct {
	Approval work.ApproveOut `json:"approval"`
	Moved    work.MoveOut    `json:"moved"`
}

func approveAndClose(ctx context.Context, f *frame.Factory, in work.ApproveIn, id string) (out approvedAndDone, err error) {
	in.Task = id
	if out.Approval, err = frame.Call(ctx, f, op.Approve, in); err != nil {
		return out, err
	}
	out.Moved, err = frame.Call(ctx, f, op.Move, work.MoveIn{Task: id, To: string(task.Done), ExpectedVersion: in.ExpectedVersion})
	if err != nil {
		e := *fault.Of(err)
		e.Message += " (the approval is kept)"
		return out, &e
	}
	if said := workspace.Closed(ctx, f, string(out.Moved.Task.ID), nil); said != "" {
		out.Moved.Warnings = append(out.Moved.Warnings, said)
	}
	return out, err
}

func showGiven(f *frame.Factory, a work.ApproveOut) {
	f.Say("%s is %s by %s%s\n", a.Task, words.Either(a.Kind == task.KindVerification, "verified", "approved"), a.Actor,
		words.When(a.Role != "", " as "+string(a.Role)))
	f.Warn(a.Warnings)
}

// showLeft says what the task lacks before it can be closed, and what to do about it.
func showLeft(f *frame.Factory, a work.ApproveOut) {
	if len(a.Missing) > 0 {
		f.Say("Before it can close: %s\n", words.Some(a.Missing, len(a.Missing)))
	}
	if len(a.Advice) > 0 {
		f.Say("Next: %s\n", a.Advice.In(f.AsCommand))
	}
}
