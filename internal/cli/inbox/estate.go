package inbox

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// estateOptions holds the options of `tasker estate`.
type estateOptions struct {
	in    inbox.EstateIn
	watch bool
}

// NewEstate returns the command `tasker estate`.
func NewEstate(f *frame.Factory) *cobra.Command {
	o := &estateOptions{}
	return f.Command(frame.Spec{
		Use: "estate", Short: op.Estate.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{
			"tasker estate",
			"tasker estate --all --limit 200",
			"tasker estate --watch",
			"tasker estate seen 1042   # the watermark that it showed",
		},
		Long: "What happened past your mark is new. Post the watermark back with tasker estate seen: it is the newest event up to\n" +
			"which nothing was left out.",
		Flags: []frame.Flag{
			frame.Bool(&o.in.All, "all", "what waits for anyone, and what you have put away"),
			frame.String(&o.in.Actor, "for", "what waits for this actor"),
			frame.MaybeInt(&o.in.Limit, "limit", "how many to show, up to 1000 (default 50)"),
			follow.Watch(&o.watch),
		},
		Commands: []*cobra.Command{newEstateSeen(f)},
	}, o.run)
}

func (o *estateOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	show := func(f *frame.Factory, out inbox.EstateOut) { showEstate(f, out, o.in.Actor == "") }
	return follow.Paint(ctx, f, o.watch, reading.EventsIn{}, func(ctx context.Context) error { return frame.Do(ctx, f, op.Estate, o.in, show) })
}

// showEstate prints what waits as the inbox does, and then the ready work as a table.
func showEstate(f *frame.Factory, out inbox.EstateOut, mine bool) {
	var ready [][]term.Span
	for _, it := range out.Items {
		if it.Kind != inbox.KindReady {
			one := it.Waits()
			showItem(f, one, it.New)
			showSettling(f, one, mine)
			continue
		}
		ready = append(ready, []term.Span{
			term.Yellow.Of(words.When(it.New, "new")), term.Textf("%s", it.Project), term.Bold.Of(string(it.Task)), term.Textf("%s", it.Title), term.Textf("%s", it.For),
			term.Faint.Of(render.Ago(f, it.Since)),
		})
	}
	if len(ready) > 0 {
		f.Out.Table([]term.Column{
			{Head: ""}, {Head: "PROJECT", Drop: 3}, {Head: "READY"}, {Head: "TITLE", Flex: true}, {Head: "FOR", Drop: 2}, {Head: "SINCE", Drop: 1},
		}, ready)
	}
	switch {
	case out.Matching == 0:
		f.Say("Nothing waits, and nothing is ready for you\n")
	case out.Matching > len(out.Items):
		f.Say("%d of %d\n", len(out.Items), out.Matching)
	}
	if others := out.Ready - out.ReadyMatching; others > 0 {
		f.Say("%s, %d of them for you\n", words.Count(out.Ready, "task is ready", "tasks are ready"), out.ReadyMatching)
	}
	if out.Watermark > out.Seen {
		f.Say("Mark them read: %s\n", f.AsCommand(hint.Command(fmt.Sprintf("estate seen %d", out.Watermark))))
	}
}

func newEstateSeen(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "seen N", Short: op.Seen.Op.Summary, Args: frame.Exactly("a watermark N"),
		Example: []string{"tasker estate seen 1042"},
		Long:    "The mark never moves back.",
	}, runEstateSeen)
}

func runEstateSeen(ctx context.Context, f *frame.Factory, args []string) error {
	n, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return fault.Bad("%q is not a watermark", args[0]).WithHint("%s shows it: the id of the newest event that was shown", hint.Command("estate"))
	}
	return frame.Do(ctx, f, op.Seen, inbox.SeenIn{Watermark: &n}, func(f *frame.Factory, out inbox.SeenOut) {
		f.Say("You have read up to event %d\n", out.Watermark)
	})
}
