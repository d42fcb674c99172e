package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/view"
)

func (f *factory) newEstate() *cobra.Command {
	var in view.EstateIn
	var limit intFlag[int]
	var watch bool
	cmd := f.command(spec{
		use: "estate", short: op.Estate.Summary, args: between(0, 0),
		example: []string{"tasker estate", "tasker estate --all --limit 200", "tasker estate --watch", "tasker estate seen 1042   # the watermark that it showed"},
		long:    "New is what happened past your mark. Post the watermark back with tasker estate seen: it is the newest event up to\nwhich nothing was left out.",
	}, func(ctx context.Context, f *factory, _ []string) error {
		in.Limit = limit.n
		paint := func(ctx context.Context) error { return do(ctx, f, op.Estate, in, (*factory).showEstate) }
		if watch {
			return f.watch(ctx, core.EventsIn{}, paint)
		}
		return paint(ctx)
	})
	fs := cmd.Flags()
	fs.BoolVar(&in.All, "all", false, "what waits for anyone, and what you have put away")
	fs.StringVar(&in.Actor, "for", "", "what waits for this actor")
	fs.Var(&limit, "limit", "how many to show, up to 1000 (default 50)")
	watchFlag(fs, &watch)
	cmd.AddCommand(f.newEstateSeen())
	return cmd
}

func (f *factory) newEstateSeen() *cobra.Command {
	return f.command(spec{
		use: "seen N", short: op.Seen.Summary, args: exactly("a watermark N"),
		example: []string{"tasker estate seen 1042"},
		long:    "The mark never moves back.",
	}, func(ctx context.Context, f *factory, args []string) error {
		n, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return fault.Bad("%q is no watermark", args[0]).WithHint("tasker estate shows it: the id of the newest event that was shown")
		}
		return do(ctx, f, op.Seen, view.SeenIn{Watermark: &n}, func(f *factory, out view.SeenOut) {
			f.say("You have read up to event %d\n", out.Watermark)
		})
	})
}

func (f *factory) showEstate(out view.EstateOut) {
	cols := []column{{head: ""}, {head: "PROJECT", drop: 3}, {head: "WHAT"}, {head: "TASK"}, {head: "TITLE", flex: true}, {head: "FOR", drop: 2}, {head: "SINCE", drop: 1}}
	var rows [][]span
	for _, it := range out.Items {
		fresh := span{"", plain}
		if it.New {
			fresh = span{"new", yellow}
		}
		what := span{kindWords(it.Kind), cyan}
		if it.Kind == "ready" {
			what.style = plain
		}
		rows = append(rows, []span{fresh, txt("%s", it.Project), what, {string(it.Task), bold}, txt("%s", it.Title), txt("%s", it.For), {ago(it.Since, f.now()), faint}})
	}
	if len(rows) > 0 {
		f.out.table(cols, rows)
	}
	switch {
	case out.Matching == 0:
		f.say("Nothing waits, and nothing is ready for you\n")
	case out.Matching > len(out.Items):
		f.say("%d of %d\n", len(out.Items), out.Matching)
	}
	if out.Watermark > out.Seen {
		f.say("Mark them read: tasker estate seen %d\n", out.Watermark)
	}
}
