package reading

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core"
	"tasker/internal/event/eventtext"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// projectView returns a command that shows one read of the project, with --watch.
func projectView[In, Out any](
	f *frame.Factory, s frame.Spec, o op.Of[In, Out], in func(f *frame.Factory, slug string) In, render func(*frame.Factory, Out),
) *cobra.Command {
	var watch bool
	s.Short, s.Args = o.Op.Summary, frame.Between(0, 0)
	s.Flags = append(s.Flags, follow.Watch(&watch))
	return f.Command(s, func(ctx context.Context, f *frame.Factory, _ []string) error {
		slug, err := f.OneProject(ctx)
		if err != nil {
			return err
		}
		return follow.Paint(ctx, f, watch, reading.EventsIn{Project: slug}, func(ctx context.Context) error {
			return frame.Do(ctx, f, o, in(f, slug), render)
		})
	})
}

// limitOf is --limit of a view with several lists.
func limitOf(limit **int) frame.Flag {
	return frame.MaybeInt(limit, "limit", "how many to show of each, up to 1000 (default 50)")
}

// wholeOf is --limit of a read that is asked for as a whole; screenful applies its default.
func wholeOf(limit **int) frame.Flag {
	return frame.MaybeInt(limit, "limit", "how many to show (of each), up to 1000 (default 50 on a terminal, else 1000)")
}

// screenful returns the limit of a read that is asked for as a whole: a terminal shows the beginning, unless told how much.
func screenful(f *frame.Factory, limit *int) *int {
	if limit == nil && f.Process.OutTTY && !f.Flags.JSON {
		return new(core.DefaultLimit)
	}
	return limit
}

// NewBottlenecks returns the command `tasker bottlenecks`.
func NewBottlenecks(f *frame.Factory) *cobra.Command {
	var limit *int
	return frame.Operation(f, frame.Spec{
		Use: "bottlenecks", Args: frame.Between(0, 0), Flags: []frame.Flag{limitOf(&limit)},
		Long: "HOLDS UP counts the open tasks that wait for a task, through others too, by dependencies and parts. Of a project with\n" +
			"more than 50,000 open tasks the numbers may be half a minute old, and `asOf` says when they were counted; there, an\n" +
			"estimate chooses which tasks are listed, and `estimated` says so. The numbers of those listed are counted.",
		Example: []string{"tasker bottlenecks", "tasker bottlenecks --limit 5 --json"},
	}, op.Bottlenecks, func(a *frame.Args, _ []string) reading.ProjectIn {
		return reading.ProjectIn{Slug: a.Project(), Limit: limit}
	}, func(f *frame.Factory, b reading.BottlenecksOut) {
		if len(b.Items) == 0 {
			f.Say("Nothing in %s waits for anything\n", b.Project)
			return
		}
		if b.AsOf != 0 {
			f.Say("As of %s: the project has changed since\n", b.AsOf)
		}
		if b.Estimated {
			f.Say("The project is too large to compare all its tasks: an estimate chose these, and HOLDS UP is counted\n")
		}
		f.Out.Table([]term.Column{
			{Head: "ID"}, {Head: "STATUS", Drop: 1}, {Head: "HOLDS UP"}, {Head: "DIRECTLY", Drop: 3}, {Head: "DEPTH", Drop: 4},
			{Head: "TITLE", Flex: true}, {Head: "HELD BY", Drop: 2},
		}, term.Rows(b.Items, func(it reading.Bottleneck) []term.Span {
			return []term.Span{
				term.Bold.Of(string(it.Task)), render.Status(it.Status), term.Textf("%d", it.Transitive), term.Textf("%d", it.Direct), term.Textf("%d", it.Depth),
				term.Textf("%s", it.Title), term.Textf("%s", it.Holder),
			}
		}))
	})
}

// NewMachine returns the command `tasker machine`.
func NewMachine(f *frame.Factory) *cobra.Command {
	var limit *int
	return projectView(f, frame.Spec{
		Use: "machine", Example: []string{"tasker machine", "tasker machine --watch"}, Flags: []frame.Flag{limitOf(&limit)},
	}, op.Machine, func(_ *frame.Factory, slug string) reading.ProjectIn {
		return reading.ProjectIn{Slug: slug, Limit: limit}
	}, showMachine)
}

func showMachine(f *frame.Factory, m reading.MachineOut) {
	defer render.Runners(f, m.Runners)
	if len(m.Actors) == 0 {
		f.Say("Nobody holds a task in %s. Begin: %s\n", m.Project, f.AsCommand(hint.Next(m.Project)))
		return
	}
	for _, a := range m.Actors {
		f.Out.Spans(term.Bold.Of(a.Actor), term.Textf("  %s", a.Kind))
		if say := workerWords[a.State]; say != "" {
			f.Out.Spans(term.Textf(", "), term.Red.Of(say))
		}
		if a.QuietSince != 0 {
			f.Out.Printf(", wrote %s%s", render.Ago(f, a.QuietSince),
				words.When(a.UsualMs > 0, " (usually every "+words.Span(time.Duration(a.UsualMs)*time.Millisecond)+")"))
		}
		switch {
		case a.State != reading.WorkerIdle:
		case a.IdleSince == 0:
			f.Out.Printf(", has done nothing here yet")
		default:
			f.Out.Printf(", last seen %s", render.Ago(f, a.IdleSince))
		}
		if a.DoneLastDay > 0 {
			f.Out.Printf(", %d done in 24 h", a.DoneLastDay)
		}
		f.Out.Printf("\n")
		showLeases(f, a.Holding, false)
		for _, l := range a.Lapsed {
			f.Out.Line(term.Bold.Of(string(l.Task)), term.Textf("  %s: its lease ran out %s", l.Title, render.Ago(f, l.At)))
		}
	}
}

// workerWords say what is wrong with a worker.
var workerWords = map[string]string{
	reading.WorkerAsks: "waits for an answer", reading.WorkerLapsed: "let a lease run out", reading.WorkerStalled: "stalled", reading.WorkerQuiet: "quiet",
}

func showLeases(f *frame.Factory, leases []reading.Lease, who bool) {
	if len(leases) == 0 {
		return
	}
	cols := []term.Column{
		{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "HELD BY"}, {Head: "SINCE", Drop: 4}, {Head: "LEFT", Drop: 1},
		{Head: "CRITERIA", Drop: 2}, {Head: "LAST", Drop: 3},
	}
	if !who {
		cols[2].Head = ""
	}
	f.Out.Table(cols, term.Rows(leases, func(l reading.Lease) []term.Span {
		last := ""
		if l.LastEvent != nil {
			last = eventtext.Kind(l.LastEvent.Kind) + " " + render.Ago(f, l.LastEvent.At)
		}
		return []term.Span{
			term.Bold.Of(string(l.Task)), term.Textf("%s", l.Title), term.Textf("%s", words.When(who, string(l.Actor))), term.Faint.Of(render.Ago(f, l.Since)),
			term.Textf("%s", words.Either(l.ExpiresAt != 0, render.Until(f, l.ExpiresAt), "no end")),
			term.Textf("%d of %d", l.Progress.Checked, l.Progress.Total), term.Faint.Of(last),
		}
	}))
}
