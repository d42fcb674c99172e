package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"tasker/internal/config"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
)

func (f *factory) newEvents() *cobra.Command {
	var in core.EventsIn
	var sinceID, beforeID intFlag[int64]
	var limit intFlag[int]
	var follow bool
	cmd := f.command(spec{
		use: "events", short: op.Events.Summary, args: between(0, 0),
		example: []string{"tasker events --limit 20", "tasker events --task demo-4", "tasker events --since 1h --by claude", "tasker events --follow --json   # one event per line, as they come"},
		long:    "The newest events, oldest of them first; with --since-id or --since those after it. Without -p and without a\nconfigured project, those of every project.",
	}, func(ctx context.Context, f *factory, _ []string) (err error) {
		if in.Project, err = f.project(); err != nil {
			return err
		}
		if f.flags.project == "" && task.Kind(in.Kind).OfNoProject() {
			in.Project = "" // the configured one is only assumed, and has none of these
		}
		if in.Task != "" {
			if in.Task, err = f.task(ctx, in.Task); err != nil {
				return err
			}
		}
		if d, err := config.ParseDuration(in.Since); err == nil {
			in.Since = task.TimeOf(f.now().Add(-d)).String()
		}
		in.SinceID, in.BeforeID, in.Limit = sinceID.n, beforeID.n, limit.n
		if follow && in.BeforeID != nil {
			return fault.Bad("--follow is for what comes, --before-id for what was").WithHint("leave one of them out")
		}
		if follow {
			return f.follow(ctx, in)
		}
		return do(ctx, f, op.Events, in, (*factory).showEvents)
	})
	fs := cmd.Flags()
	fs.StringVar(&in.Task, "task", "", "only of this task")
	fs.StringVar(&in.Since, "since", "", "only from then on: an RFC 3339 time, or a duration such as 2h back from now")
	fs.Var(&sinceID, "since-id", "only after the event with this id: paging that skips none")
	fs.Var(&beforeID, "before-id", "only before the event with this id: the newest of those, to page back")
	fs.StringVar(&in.Kind, "kind", "", "only of this kind, such as task.moved")
	fs.StringVar(&in.By, "by", "", "only by this actor")
	fs.Var(&limit, "limit", "how many to show, up to 1000 (default 100)")
	fs.BoolVar(&follow, "follow", false, "go on with new events as they come, until interrupted")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(words(task.Kinds), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// follow prints events and then every one that comes after them, until the process is told to stop.
func (f *factory) follow(ctx context.Context, in core.EventsIn) error {
	ctx, cancel := f.p.Stop(ctx)
	defer cancel()
	last, err := f.before(ctx, in)
	if err != nil {
		return err
	}
	first, err := call(ctx, f, op.Events, in)
	if err != nil {
		return err
	}
	show := func(events []task.Event) error {
		for _, e := range events {
			last = e.ID
			if f.flags.json {
				doc, err := f.json(e)
				if err != nil {
					return err
				}
				f.out.Document(doc)
			} else {
				f.showEvents([]task.Event{e})
			}
		}
		return f.out.failed() // the reader is gone
	}
	if err := show(first); err != nil {
		return err
	}
	in.Since = ""
	err = f.stream(ctx, in, last, show)
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// before is the id after which a follower goes on where its first page is empty.
func (f *factory) before(ctx context.Context, in core.EventsIn) (int64, error) {
	if in.SinceID != nil {
		return *in.SinceID, nil
	}
	one := 1
	newest, err := call(ctx, f, op.Events, core.EventsIn{Limit: &one})
	if err != nil || len(newest) == 0 {
		return 0, err
	}
	return newest[0].ID, nil
}

// follower is a caller that can be told of events as they come.
type follower interface {
	Follow(ctx context.Context, in core.EventsIn, from int64, send func([]task.Event) error) error
}

// stream hands on every event past from.
func (f *factory) stream(ctx context.Context, in core.EventsIn, from int64, send func([]task.Event) error) error {
	ctx, c, err := f.caller(ctx)
	if err != nil {
		return err
	}
	if f.session != nil {
		return f.session.Follow(ctx, in, from, send)
	}
	if c, ok := c.(follower); ok {
		return c.Follow(ctx, in, from, send)
	}
	return fault.New(fault.Internal, "events cannot be followed through this client")
}

// showEvents prints a line for each.
func (f *factory) showEvents(events []task.Event) {
	for _, e := range events {
		what := string(e.Task)
		if what == "" {
			what = string(e.Project)
		}
		f.out.Spans(span{e.At.Go().Format("2006-01-02 15:04:05Z"), faint}, txt("  %d  ", e.ID), span{string(e.Kind), cyan})
		f.out.Printf("  %s  by %s%s\n", what, e.Actor, eventWords(e))
	}
}

// eventWords is what an event tells beyond its kind, in a few words. --json has all of it.
func eventWords(e task.Event) string {
	var p map[string]any
	if json.Unmarshal(e.Payload, &p) != nil {
		return ""
	}
	text := func(name string) string { s, _ := p[name].(string); return s }
	switch {
	case e.Kind == task.TaskMoved:
		words := fmt.Sprintf(": %s → %s", text("from"), text("to"))
		if p["forced"] == true {
			words += ", forced"
		}
		if from := text("tookFrom"); from != "" {
			words += ", taken from " + from
		}
		return words
	case text("title") != "":
		return ": " + cut(inert(text("title"), false), 80)
	case text("text") != "":
		return ": " + cut(inert(text("text"), false), 80)
	case text("kind") != "" && text("value") != "":
		return ": " + cut(inert(text("kind")+" "+text("value"), false), 80)
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if p[name] != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + strings.Join(names, ", ")
}
