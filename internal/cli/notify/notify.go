package notify

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/notify"
	"tasker/internal/op"
	"tasker/internal/task/delivery"
	"tasker/internal/text/words"
)

// NewNotify returns the command `tasker notify`.
func NewNotify(f *frame.Factory) *cobra.Command {
	return f.Group(frame.Spec{
		Use: "notify", Short: "See how people are notified of inbox items, and send what is pending",
		Example:  []string{"tasker notify test", "tasker notify log", "tasker notify flush"},
		Commands: []*cobra.Command{newNotifyFlush(f), newNotifyLog(f), newNotifyRedeliver(f), newNotifyDrop(f), newNotifyTest(f)},
	})
}

// oneDelivery returns a command that acts on one delivery.
func oneDelivery(f *frame.Factory, s frame.Spec, o op.Of[notify.DeliveryIn, notify.View], said, would string) *cobra.Command {
	var dry bool
	s.Here, s.Args = o.Op.Command, frame.Exactly("the ID of a delivery")
	s.Flags = []frame.Flag{frame.Bool(&dry, "dry-run", "say what would be written, and write nothing")}
	return frame.Operation(f, s, o, func(a *frame.Args, args []string) notify.DeliveryIn {
		return notify.DeliveryIn{DryRun: dry, ID: a.Number(args[0],
			fault.Bad("a delivery is named by its id, a number, and not by %s", words.Quoted(args[0])).WithHint("%s lists them", hint.Command("notify log")))}
	}, func(f *frame.Factory, d notify.View) {
		if d.DryRun {
			f.Say(would+" (%s to %s)\n", d.ID, d.Item, d.Channel)
			return
		}
		f.Say(said, d.ID)
	})
}

func newNotifyFlush(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "flush", Here: "notify flush", Short: op.NotifyFlush.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker notify flush", "tasker notify flush --json"},
		Long: "It sends to the channels that the configuration here declares, one attempt for each item in order; if one has to be\n" +
			"repeated, the items behind it wait. A channel that a running server delivers to is left to that server. After a restore\n" +
			"this command also releases the deliveries that the restore has held.",
	}, func(ctx context.Context, f *frame.Factory, _ []string) error {
		in := notify.FlushIn{Holder: "flush-" + f.Wiring.NewKey()}
		return frame.Do(ctx, f, op.NotifyFlush, in, func(f *frame.Factory, out notify.FlushOut) {
			f.Say("%d delivered, %d failed, %d pending\n", out.Delivered, out.Failed, out.Pending)
			if out.Failed+out.Pending > 0 {
				f.Say("See why: %s\n", f.AsCommand(hint.Command("notify log")))
			}
		})
	})
}

// notifyLogOptions holds the options of `tasker notify log`.
type notifyLogOptions struct {
	in    notify.LogIn
	limit int
}

func newNotifyLog(f *frame.Factory) *cobra.Command {
	o := &notifyLogOptions{}
	return f.Command(frame.Spec{
		Use: "log", Here: "notify log", Short: op.NotifyLog.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker notify log", "tasker notify log --state failed --json"},
		Flags: []frame.Flag{
			frame.OneOf(&o.in.State, "state", []delivery.State{delivery.Pending, delivery.Delivered, delivery.Failed}, "only what is pending, delivered or failed"),
			frame.Int(&o.limit, "limit", "how many, the newest ones (default 50)"),
		},
	}, o.run)
}

func (o *notifyLogOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	if o.limit != 0 {
		o.in.Limit = &o.limit
	}
	return frame.Do(ctx, f, op.NotifyLog, o.in, showDeliveries)
}

func showDeliveries(f *frame.Factory, all []notify.View) {
	if len(all) == 0 {
		f.Say("Nothing was delivered yet, and nothing is pending\n")
		return
	}
	cols := []term.Column{
		{Head: "ID"}, {Head: "STATE"}, {Head: "ITEM", Flex: true}, {Head: "CHANNEL", Flex: true}, {Head: "TRIES"}, {Head: "WHEN"}, {Head: "WHY", Flex: true},
	}
	f.Out.Table(cols, term.Rows(all, func(d notify.View) []term.Span {
		when := d.DeliveredAt
		if d.State == delivery.Pending {
			when = d.NextAt
		}
		return []term.Span{
			term.Textf("%d", d.ID), stateStyles[d.State].Of(string(d.State)), {Text: d.Item}, term.Faint.Of(d.Channel), term.Textf("%d", d.Attempts),
			{Text: render.Ago(f, when)}, {Text: string(d.LastError)},
		}
	}))
}

// stateStyles are the colours of what is not delivered.
var stateStyles = map[delivery.State]term.Style{delivery.Failed: term.Red, delivery.Pending: term.Yellow}

func newNotifyRedeliver(f *frame.Factory) *cobra.Command {
	return oneDelivery(f, frame.Spec{
		Use: "redeliver ID", Example: []string{"tasker notify redeliver 42"},
		Long: "It is sent after the command has answered, or by the server that delivers to its channel, before what is queued behind it.",
	}, op.NotifyRedeliver, "Delivery %d is pending again\n", "Delivery %d would be pending again")
}

func newNotifyDrop(f *frame.Factory) *cobra.Command {
	return oneDelivery(f, frame.Spec{
		Use: "drop ID", Example: []string{"tasker notify drop 42"},
		Long: "It is listed as failed from then on, and the next one of its channel is sent.",
	}, op.NotifyDrop, "Delivery %d is dropped\n", "Delivery %d would be dropped")
}

func newNotifyTest(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "test", Here: "notify test", Short: op.NotifyTest.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker notify test"},
		Long:    "The item has the kind test and stands for nothing. It is not stored, and it is sent once, whatever the channel's events are.",
	}, runNotifyTest)
}

func runNotifyTest(ctx context.Context, f *frame.Factory, _ []string) error {
	project, err := f.Project()
	if err != nil {
		return err
	}
	out, err := frame.Call(ctx, f, op.NotifyTest, notify.TestIn{Project: project})
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
		return fault.Decline("%s of %d accepted the test item", words.Count(len(out)-len(missed), "channel", "channels"), len(out)).WithMissing(missed...).
			WithHint("correct the channel in the configuration, and test it again: %s", hint.Command("notify test"))
	}
	return f.Answer(out, func() {
		for _, t := range out {
			f.Say("%s accepted the test item\n  it gets %s\n", t.Channel,
				cmp.Or(words.List(t.Kinds), "nothing: its events name nothing that is delivered"))
		}
	})
}
