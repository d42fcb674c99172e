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
	"tasker/internal/words"
)

// evidenceOptions are what the command line gives `tasker evidence`.
type evidenceOptions struct {
	item  task.EvidenceItem
	note  string
	fence *frame.IntFlag[int64]
}

// NewEvidence returns the command `tasker evidence`.
func NewEvidence(f *frame.Factory) *cobra.Command {
	o := &evidenceOptions{}
	cmd := f.Command(frame.Spec{
		Use: "evidence [ID] --kind K --value V", Short: op.Evidence.Summary, IDs: true, Args: frame.Between(0, 1),
		Example: []string{"tasker evidence demo-4 --kind test --value ci/123", `tasker evidence demo-4 --kind review --value pr/7 --note "two rounds"`},
	}, o.run)
	fs := cmd.Flags()
	fs.StringVar(&o.item.Kind, "kind", "", "what sort of proof it is, as gates name it")
	fs.StringVar(&o.item.Value, "value", "", "the proof, or where it is (- reads standard input)")
	fs.StringVar(&o.note, "note", "", "a remark on it")
	o.fence = frame.AddFence(fs)
	return cmd
}

func (o *evidenceOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if o.item.Kind == "" || o.item.Value == "" {
		return fault.Bad("evidence needs --kind and --value").
			WithHint("for example: %s", remedy.Here("evidence "+words.Shell(frame.OrCurrent(args))+" --kind test --value ci/123"))
	}
	id, err := f.TaskArg(ctx, frame.OrCurrent(args))
	if err != nil {
		return err
	}
	if o.item.Value, err = f.TextArg(o.item.Value); err != nil {
		return err
	}
	with, err := f.Fence(ctx, o.fence, id)
	if err != nil {
		return err
	}
	o.item.Note = task.Opt(o.note)
	in := work.EvidenceIn{Task: id, Items: []task.EvidenceItem{o.item}, Fence: with}
	return frame.Do(ctx, f, op.Evidence, in, func(f *frame.Factory, out work.EvidenceOut) {
		f.Say("Recorded %s evidence on %s\n", o.item.Kind, id)
		frame.EchoStays(ctx, f, task.ID(id))
		f.Warn(out.Warnings)
	})
}
