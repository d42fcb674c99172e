package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newNote() *cobra.Command {
	var fence *intFlag[int64]
	cmd := f.command(spec{
		use: "note ID TEXT", short: op.Note.Summary, ids: true, args: exactly("the ID of a task", "a TEXT"),
		example: []string{`tasker note demo-4 "the parser is done, the printer is not"`, "git log -1 | tasker note demo-4 -   # from standard input"},
	}, func(ctx context.Context, f *factory, args []string) error {
		id, err := f.task(ctx, args[0])
		if err != nil {
			return err
		}
		text, err := f.text(args[1])
		if err != nil {
			return err
		}
		with, err := f.fence(ctx, fence, id)
		if err != nil {
			return err
		}
		return do(ctx, f, op.Note, core.NoteIn{Task: id, Text: text, Fence: with}, func(f *factory, out core.NoteOut) {
			f.say("Noted on %s\n", id)
			f.warn(out.Warnings)
		})
	})
	fence = fenceFlag(cmd.Flags())
	return cmd
}

func (f *factory) newEvidence() *cobra.Command {
	var item task.EvidenceItem
	var note string
	var fence *intFlag[int64]
	cmd := f.command(spec{
		use: "evidence ID --kind K --value V", short: op.Evidence.Summary, ids: true, args: exactly("the ID of a task"),
		example: []string{"tasker evidence demo-4 --kind test --value ci/123", `tasker evidence demo-4 --kind review --value pr/7 --note "two rounds"`},
	}, func(ctx context.Context, f *factory, args []string) error {
		if item.Kind == "" || item.Value == "" {
			return fault.Bad("evidence needs --kind and --value").WithHint("for example: tasker evidence %s --kind test --value ci/123", args[0])
		}
		id, err := f.task(ctx, args[0])
		if err != nil {
			return err
		}
		if item.Value, err = f.text(item.Value); err != nil {
			return err
		}
		with, err := f.fence(ctx, fence, id)
		if err != nil {
			return err
		}
		item.Note = task.Opt(note)
		in := core.EvidenceIn{Task: id, Items: []task.EvidenceItem{item}, Fence: with}
		return do(ctx, f, op.Evidence, in, func(f *factory, out core.EvidenceOut) {
			f.say("Recorded %s evidence on %s\n", item.Kind, id)
			f.warn(out.Warnings)
		})
	})
	fs := cmd.Flags()
	fs.StringVar(&item.Kind, "kind", "", "what sort of proof it is, as gates name it")
	fs.StringVar(&item.Value, "value", "", "the proof, or where it is (- reads standard input)")
	fs.StringVar(&note, "note", "", "a remark on it")
	fence = fenceFlag(fs)
	return cmd
}

func (f *factory) newCheck() *cobra.Command {
	return f.ticking(true, spec{
		use: "check ID N…", short: "Tick acceptance criteria of a task", ids: true, args: between(2, -1, "the ID of a task", "the number of a criterion"),
		example: []string{"tasker check demo-4 1 2", `tasker check demo-4 1 --text "the tests pass"   # refused where criterion 1 reads otherwise`},
	})
}

func (f *factory) newUncheck() *cobra.Command {
	return f.ticking(false, spec{
		use: "uncheck ID N…", short: "Untick acceptance criteria of a task", ids: true, args: between(2, -1, "the ID of a task", "the number of a criterion"),
		example: []string{"tasker uncheck demo-4 2"},
	})
}

func (f *factory) ticking(checked bool, s spec) *cobra.Command {
	var text string
	var fence *intFlag[int64]
	cmd := f.command(s, func(ctx context.Context, f *factory, args []string) error {
		in := core.TickIn{Checked: &checked}
		for _, a := range args[1:] {
			n, err := strconv.Atoi(a)
			if err != nil {
				return fault.Bad("%q is no number of a criterion", a).WithHint("tasker show %s numbers them", args[0])
			}
			in.Indexes = append(in.Indexes, n)
		}
		if text != "" {
			if len(in.Indexes) != 1 {
				return fault.Bad("--text is for one criterion, and %d are named", len(in.Indexes))
			}
			in.Index, in.Indexes, in.Text = in.Indexes[0], nil, &text
		}
		var err error
		if in.Task, err = f.task(ctx, args[0]); err != nil {
			return err
		}
		if in.Fence, err = f.fence(ctx, fence, in.Task); err != nil {
			return err
		}
		return do(ctx, f, op.Tick, in, func(f *factory, t *task.Task) {
			f.say("%s has %d of %s ticked\n", t.ID, ticked(t), count(len(t.Criteria), "criterion", "criteria"))
			if !f.flags.quiet {
				f.criteria(t.Criteria)
			}
		})
	})
	cmd.Flags().StringVar(&text, "text", "", "what the criterion must read")
	fence = fenceFlag(cmd.Flags())
	return cmd
}

func ticked(t *task.Task) int {
	n := 0
	for _, c := range t.Criteria {
		if c.Checked {
			n++
		}
	}
	return n
}

func (f *factory) newApprove() *cobra.Command {
	in := core.ApproveIn{}
	kind := oneOf("", []string{task.KindApproval, task.KindVerification})
	var done bool
	cmd := f.command(spec{
		use: "approve ID…", short: op.Approve.Summary, ids: true, many: true, args: between(1, -1, "the ID of a task"),
		example: []string{"tasker approve demo-4", `tasker approve demo-4 demo-5 --role lead --note "read both"`, "tasker approve demo-4 --done   # and close it", "tasker approve demo-4 --kind verification"},
		long:    "Only a person can approve: an actor that the configuration declares as human.\nWith --done the answer in JSON is {approval, moved}.",
	}, func(ctx context.Context, f *factory, args []string) error {
		in.Kind = kind.value
		if done {
			return each(ctx, f, args, func(ctx context.Context, id string) (approvedAndDone, error) {
				return f.approveAndClose(ctx, in, id)
			}, func(f *factory, out approvedAndDone) {
				f.showApproval(out.Approval)
				f.showMove(out.Moved)
			})
		}
		return each(ctx, f, args, func(ctx context.Context, id string) (task.Approval, error) {
			in.Task = id
			return call(ctx, f, op.Approve, in)
		}, (*factory).showApproval)
	})
	fs := cmd.Flags()
	fs.Var(kind, "kind", "approval (a judgement) or verification (something is true)")
	fs.StringVar(&in.Role, "role", "", "the role in which you approve; you must hold it")
	fs.StringVar(&in.Note, "note", "", "a remark on it")
	fs.BoolVar(&done, "done", false, "then close the task as done")
	return cmd
}

// approvedAndDone is the answer of approve --done: the answers of its two operations.
type approvedAndDone struct {
	Approval task.Approval `json:"approval"`
	Moved    core.MoveOut  `json:"moved"`
}

func (f *factory) approveAndClose(ctx context.Context, in core.ApproveIn, id string) (out approvedAndDone, err error) {
	in.Task = id
	if out.Approval, err = call(ctx, f, op.Approve, in); err != nil {
		return out, err
	}
	out.Moved, err = call(ctx, f, op.Move, core.MoveIn{Task: id, To: string(task.Done)})
	if err != nil {
		e := *fault.Of(err)
		e.Message += " (the approval is kept)"
		err = &e
	}
	return out, err
}

func (f *factory) showApproval(a task.Approval) {
	verb := "approved"
	if a.Kind == task.KindVerification {
		verb = "verified"
	}
	if a.Role != "" {
		f.say("%s is %s by %s as %s\n", a.Task, verb, a.Actor, a.Role)
		return
	}
	f.say("%s is %s by %s\n", a.Task, verb, a.Actor)
}
