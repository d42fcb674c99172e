package working

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func NewEvidence(f *frame.Factory) *cobra.Command {
	var item task.EvidenceItem
	var note string
	var fence *frame.IntFlag[int64]
	cmd := f.Command(frame.Spec{
		Use: "evidence ID --kind K --value V", Short: op.Evidence.Summary, IDs: true, Args: frame.Exactly("the ID of a task"),
		Example: []string{"tasker evidence demo-4 --kind test --value ci/123", `tasker evidence demo-4 --kind review --value pr/7 --note "two rounds"`},
	}, func(ctx context.Context, f *frame.Factory, args []string) error {
		if item.Kind == "" || item.Value == "" {
			return fault.Bad("evidence needs --kind and --value").WithHint("for example: tasker evidence %s --kind test --value ci/123", args[0])
		}
		id, err := f.TaskArg(ctx, args[0])
		if err != nil {
			return err
		}
		if item.Value, err = f.TextArg(item.Value); err != nil {
			return err
		}
		with, err := f.Fence(ctx, fence, id)
		if err != nil {
			return err
		}
		item.Note = task.Opt(note)
		in := core.EvidenceIn{Task: id, Items: []task.EvidenceItem{item}, Fence: with}
		return frame.Do(ctx, f, op.Evidence, in, func(f *frame.Factory, out core.EvidenceOut) {
			f.Say("Recorded %s evidence on %s\n", item.Kind, id)
			f.Warn(out.Warnings)
		})
	})
	fs := cmd.Flags()
	fs.StringVar(&item.Kind, "kind", "", "what sort of proof it is, as gates name it")
	fs.StringVar(&item.Value, "value", "", "the proof, or where it is (- reads standard input)")
	fs.StringVar(&note, "note", "", "a remark on it")
	fence = frame.FenceFlag(fs)
	return cmd
}
