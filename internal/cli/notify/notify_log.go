package notify

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core/deliveries"
	"tasker/internal/op"
	"tasker/internal/task/delivery"
)

// notifyLogOptions are what the command line gives `tasker notify log`.
type notifyLogOptions struct {
	state *frame.Choice
	limit int
}

func newNotifyLog(f *frame.Factory) *cobra.Command {
	o := &notifyLogOptions{state: frame.OneOf("", []string{string(delivery.Pending), string(delivery.Delivered), string(delivery.Failed)})}
	cmd := f.Command(frame.Spec{
		Use: "log", Short: op.NotifyLog.Summary, Args: frame.Between(0, 0),
		Example: []string{"tasker notify log", "tasker notify log --state failed --json"},
	}, o.run)
	cmd.Flags().Var(o.state, "state", "only those that are pending, delivered or failed")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "how many, the newest ones (default 50)")
	_ = cmd.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(o.state.Of, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *notifyLogOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	if err := f.OnlyHere("notify log"); err != nil {
		return err
	}
	in := deliveries.LogIn{State: delivery.State(o.state.Value)}
	if o.limit != 0 {
		in.Limit = &o.limit
	}
	return frame.Do(ctx, f, op.NotifyLog, in, showDeliveries)
}

func showDeliveries(f *frame.Factory, all []deliveries.View) {
	if len(all) == 0 {
		f.Say("Nothing was delivered yet, and nothing is pending\n")
		return
	}
	cols := []term.Column{
		{Head: "ID"}, {Head: "STATE"}, {Head: "ITEM", Flex: true}, {Head: "CHANNEL", Flex: true}, {Head: "TRIES"}, {Head: "WHEN"}, {Head: "WHY", Flex: true},
	}
	var rows [][]term.Span
	for _, d := range all {
		when := d.DeliveredAt
		if d.State == delivery.Pending {
			when = d.NextAt
		}
		rows = append(rows, []term.Span{
			term.Textf("%d", d.ID), stateSpan(d.State), {Text: d.Item}, term.Faint.Of(d.Channel), term.Textf("%d", d.Attempts),
			{Text: render.Ago(f, when)}, {Text: string(d.LastError)},
		})
	}
	f.Out.Table(cols, rows)
}

func stateSpan(s delivery.State) term.Span {
	switch s {
	case delivery.Failed:
		return term.Red.Of(string(s))
	case delivery.Pending:
		return term.Yellow.Of(string(s))
	default:
		return term.Span{Text: string(s)}
	}
}
