package work

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/work"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

// noteOptions are what the command line gives `tasker note`.
type noteOptions struct {
	fence *frame.IntFlag[int64]
}

// NewNote returns the command `tasker note`.
func NewNote(f *frame.Factory) *cobra.Command {
	o := &noteOptions{}
	cmd := f.Command(frame.Spec{
		Use: "note [ID] TEXT", Short: op.Note.Summary, IDs: true, Args: frame.Between(1, 2, "a TEXT"),
		Example: []string{`tasker note "the parser is done"   # on the task that you hold`, `tasker note demo-4 "the printer is not"`,
			"git log -1 | tasker note demo-4 -   # from standard input"},
	}, o.run)
	o.fence = frame.AddFence(cmd.Flags())
	return cmd
}

func (o *noteOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if len(args) == 1 && frame.LooksLikeID(args[0]) {
		return fault.Bad("say what to note on %s", args[0]).WithHint("for example: %s", remedy.Here("note "+args[0]+" TEXT"))
	}
	id, err := f.TaskArg(ctx, frame.OrCurrent(args[:len(args)-1]))
	if err != nil {
		return err
	}
	text, err := f.TextArg(args[len(args)-1])
	if err != nil {
		return err
	}
	with, err := f.Fence(ctx, o.fence, id)
	if err != nil {
		return err
	}
	return frame.Do(ctx, f, op.Note, work.NoteIn{Task: id, Text: text, Fence: with}, func(f *frame.Factory, out work.NoteOut) {
		f.Say("Noted on %s\n", id)
		frame.EchoStays(ctx, f, task.ID(id))
		f.Warn(out.Warnings)
	})
}
