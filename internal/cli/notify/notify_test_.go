package notify

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/core/deliveries"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/words"
)

func newNotifyTest(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "test", Short: op.NotifyTest.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker notify test"},
		Long:    "The item is of the kind test and tells of nothing. Nothing is stored, and it is sent once, whatever the channel's events are.",
	}, runNotifyTest)
}

func runNotifyTest(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("notify test"); err != nil {
		return err
	}
	project, err := f.Project()
	if err != nil {
		return err
	}
	out, err := frame.Call(ctx, f, op.NotifyTest, deliveries.TestIn{Project: project})
	if err != nil {
		return err
	}
	var missed []string
	for _, t := range out {
		if !t.Delivered {
			missed = append(missed, t.Channel+": "+string(t.Error))
		}
	}
	if len(missed) > 0 {
		return fault.Decline("%s of %d took the test", words.Count(len(out)-len(missed), "channel", "channels"), len(out)).WithMissing(missed...).
			WithHint("correct the channel in the configuration, and test it again: %s", remedy.Command("notify test"))
	}
	return f.Answer(out, func() {
		for _, t := range out {
			f.Say("%s took the test\n", t.Channel)
			if len(t.Kinds) == 0 {
				f.Say("  it gets nothing: its events name nothing that is told of\n")
				continue
			}
			f.Say("  it gets %s\n", words.List(t.Kinds))
		}
	})
}
