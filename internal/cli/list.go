package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newList() *cobra.Command {
	var in core.ListIn
	var ready, blocked boolFlag
	var limit intFlag[int]
	status := oneOf("", task.Statuses)
	cmd := f.command(spec{
		use: "list", short: op.List.Summary, args: between(0, 0),
		example: []string{"tasker list", "tasker list --status in_progress --held-by claude", "tasker list --blocked", "tasker list --q parser --json"},
	}, func(ctx context.Context, f *factory, _ []string) (err error) {
		if in.Project, err = f.oneProject(ctx); err != nil {
			return err
		}
		for _, name := range []*string{&in.Parent, &in.DependsOn, &in.DependencyOf} {
			if *name == "" {
				continue
			}
			if *name, err = f.task(ctx, *name); err != nil {
				return err
			}
		}
		in.Status, in.Limit, in.Ready, in.Blocked = status.value, limit.n, ready.b, blocked.b
		return do(ctx, f, op.List, in, func(f *factory, out core.ListOut) {
			f.showTasks(out.Tasks)
			switch {
			case out.Total == 0:
				f.say("No task in %s fits\n", out.Project)
			case out.NextCursor != "":
				f.say("%d of %d; more with --cursor %s\n", len(out.Tasks), out.Total, out.NextCursor)
			}
		})
	})
	fs := cmd.Flags()
	fs.Var(status, "status", "only of this status")
	fs.StringVar(&in.HeldBy, "held-by", "", "only what this actor holds")
	fs.StringVar(&in.Parent, "parent", "", "only the parts of this task")
	fs.StringVar(&in.DependsOn, "depends-on", "", "only what waits for this task")
	fs.StringVar(&in.DependencyOf, "dependency-of", "", "only what this task waits for")
	fs.StringVar(&in.Q, "q", "", "only with this text in title, key or id")
	maybe(fs, &ready, "ready", "only what is ready (--ready=false: only what is not)")
	maybe(fs, &blocked, "blocked", "only what waits for an open task (--blocked=false: only what does not)")
	fs.Var(&limit, "limit", "how many to show, up to 1000 (default 50)")
	fs.StringVar(&in.Cursor, "cursor", "", "go on where the last page ended")
	return cmd
}

// showTasks prints tasks as a table.
func (f *factory) showTasks(tasks []*task.Task) {
	cards := make([]task.Card, len(tasks))
	for i, t := range tasks {
		cards[i] = task.CardOf(t)
	}
	f.showCards(cards)
}

// showCards prints tasks as a table.
func (f *factory) showCards(cards []task.Card) {
	if len(cards) == 0 {
		return
	}
	cols := []column{{head: "ID"}, {head: "STATUS"}, {head: "PRI", drop: 2}, {head: "TITLE", flex: true}, {head: "HELD BY", drop: 1}, {head: "CHANGED", drop: 3}}
	rows := make([][]span, 0, len(cards))
	for i := range cards {
		c, holder := &cards[i], span{}
		if c.Claim != nil {
			holder = txt("%s", c.Claim.Actor)
		}
		rows = append(rows, []span{{string(c.ID), bold}, statusSpan(c.Status), txt("%d", c.Priority), txt("%s", c.Title), holder, {ago(c.UpdatedAt, f.now()), faint}})
	}
	f.out.table(cols, rows)
}

// taskLine prints one task in one line.
func (f *factory) taskLine(t *task.Task) {
	f.out.Spans(span{string(t.ID), bold}, txt("  "), statusSpan(t.Status))
	f.out.Printf("  %s\n", t.Title)
}
