package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/event/eventtext"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// eventsOptions holds the options of `tasker events`.
type eventsOptions struct {
	in     reading.EventsIn
	follow bool
	of     narrowed
}

// NewEvents returns the command `tasker events`.
func NewEvents(f *frame.Factory) *cobra.Command {
	o := &eventsOptions{}
	cmd := f.Command(frame.Spec{
		Use: "events [ID]", Short: op.Events.Op.Summary, Args: frame.Between(0, 1), IDs: true,
		Example: []string{
			"tasker events --limit 20",
			"tasker events demo-4",
			"tasker events --since 1h --by claude",
			"tasker events --follow --json   # one event per line, as they come",
		},
		Long: "It lists the newest events, the oldest of them first; with --since-id or --since, the events after that. If -p or the\n" +
			"configuration names a project, only its events are listed; --all lists the events of every project.",
		Flags: []frame.Flag{
			frame.String(&o.in.Task, "task", "only of this task"),
			frame.String(&o.in.Since, "since", "only from then on: an RFC 3339 time, a date, seconds since 1970, or a duration such as 2h back from now"),
			frame.MaybeInt(&o.in.SinceID, "since-id", "only after the event with this id: paging that skips none"),
			frame.MaybeInt(&o.in.BeforeID, "before-id", "only before the event with this id: the newest of those, to page back"),
			frame.String(&o.in.Kind, "kind", "only of this kind, such as task.moved"),
			frame.String(&o.in.By, "by", "only by this actor"),
			frame.MaybeInt(&o.in.Limit, "limit", "how many to show, up to 1000 (default 100)"),
			frame.Bool(&o.follow, "follow", "show the last ten, and go on with new events as they come, until interrupted"),
			o.of.flag(),
		},
	}, o.run)
	_ = cmd.RegisterFlagCompletionFunc("kind", frame.Offering(task.Kinds))
	return cmd
}

func (o *eventsOptions) run(ctx context.Context, f *frame.Factory, args []string) (err error) {
	if len(args) > 0 && o.in.Task != "" {
		return fault.Bad("%q and --task %q both name the task", args[0], o.in.Task).WithHint("leave one of them out")
	}
	if len(args) > 0 {
		o.in.Task = args[0]
	}
	if err := o.of.find(f); err != nil {
		return err
	}
	if f.Flags.Project == "" && task.Kind(o.in.Kind).OfNoProject() {
		o.of.slug = "" // such events belong to no project, and -p was not given
	}
	o.in.Project = o.of.slug
	if o.in.Task != "" {
		if o.in.Task, err = f.TaskToRead(ctx, o.in.Task); err != nil {
			return err
		}
		if slug, _, ok := task.ParseID(o.in.Task); ok && slug != o.in.Project && f.Flags.Project == "" {
			o.in.Project = "" // the id already names its project
		}
	}
	o.in.Since = f.Since(o.in.Since)
	if o.follow && o.in.BeforeID != nil {
		return fault.Bad("--follow is for what comes, --before-id for what was").WithHint("leave one of them out")
	}
	if o.follow {
		return followEvents(ctx, f, o.in)
	}
	events, err := eventsOf(ctx, f, o.in)
	absent := o.in.Task == "" && o.of.absent(f, err)
	if err != nil && !absent {
		return err
	}
	return f.Answer(append([]task.Event{}, events...), func() {
		showEvents(f, events, false)
		if o.in.Task == "" {
			o.of.say(f, absent)
		}
	})
}

// followed is how many of the newest events --follow begins with, unless told otherwise.
const followed = 10

// followEvents prints events, and then every later one, until the process is told to stop.
func followEvents(ctx context.Context, f *frame.Factory, in reading.EventsIn) error {
	ctx, cancel := f.Stop(ctx)
	defer cancel()
	last, err := follow.Start(ctx, f, in)
	if err != nil {
		return err
	}
	begin := in
	if in.Since == "" && in.SinceID == nil && in.Limit == nil {
		begin.Limit = new(followed)
	}
	first, err := eventsOf(ctx, f, begin)
	if err != nil {
		return err
	}
	show := func(events []task.Event) error {
		for _, e := range events {
			last = e.ID
			if !f.Flags.JSON {
				showEvents(f, []task.Event{e}, true)
			} else if err := f.OneOfMany(e); err != nil {
				return err
			}
		}
		return f.Out.Err() // the reader is gone
	}
	if err := show(first); err != nil {
		return err
	}
	in.Since = ""
	err = f.Follow(ctx, in, last, show)
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// showEvents prints one line per event: when it happened, its number, its kind and subject, and a sentence. Followed
// events have exact times, because their lines stay on the screen while time passes.
func showEvents(f *frame.Factory, events []task.Event, exact bool) {
	for _, e := range events {
		when := words.Either(exact, render.Exact(e.At), fmt.Sprintf("%*s", widthAgo, render.Ago(f, e.At)))
		f.Out.Line(term.Faint.Of(when), term.Textf("  %d  ", e.ID), term.Cyan.Of(string(e.Kind)),
			term.Textf("  %s  %s %s", cmp.Or(string(e.Task), string(e.Project)), e.Actor, term.Inert(eventtext.Of(e), false)))
	}
}

// widthAgo is the width of most relative times, so that what follows them is aligned.
const widthAgo = len("1h 20m ago")
