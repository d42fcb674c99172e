package inbox

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/people"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/inbox"
	"tasker/internal/words"
)

func newInboxAck(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "ack ITEM…", Short: op.Ack.Summary, Args: frame.Between(1, -1, "the id of an ITEM"),
		Example: []string{"tasker inbox ack override:demo-4:23 lease_expired:demo-7"},
	}, runInboxAck)
}

func runInboxAck(ctx context.Context, f *frame.Factory, args []string) error {
	ref, err := inbox.ParseItem(args[0])
	if err != nil {
		return err
	}
	slug, _, _ := task.ParseID(string(ref.Task))
	return frame.Do(ctx, f, op.Ack, people.AckIn{Slug: slug, Items: args}, func(f *frame.Factory, out people.AckOut) {
		f.Say("Put away for %s: %s\n", out.Actor, words.List(out.Items))
	})
}
