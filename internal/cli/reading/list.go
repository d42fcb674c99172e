package reading

import (
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/follow"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/query"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// listOptions holds the options of `tasker list`.
type listOptions struct {
	in                     reading.ListIn
	waiting, unheld, watch bool
	all                    bool // every page
	columns                []string
}

// NewList returns the command `tasker list`.
func NewList(f *frame.Factory) *cobra.Command {
	o := &listOptions{}
	return f.Command(frame.Spec{
		Use: "list [WORDS]", Short: op.List.Op.Summary, Args: frame.Between(0, -1),
		Example: []string{"tasker list login", "tasker list --ready --sort due"},
		Flags: []frame.Flag{
			frame.String(&o.in.Status, "status", "open,in_review; closed: done, cancelled"),
			frame.OneOf(&o.in.State, "state", task.States, strings.Join(task.States, ", ")),
			frame.String(&o.in.HeldBy, "held-by", "held by this actor"),
			frame.Bool(&o.in.Mine, "mine", "held by you"),
			frame.Bool(&o.unheld, "unheld", "in progress, held by nobody"),
			frame.String(&o.in.Parent, "parent", "parts of this task"),
			frame.String(&o.in.Under, "under", "anywhere below it"),
			frame.String(&o.in.DependsOn, "depends-on", "waiting for it"),
			frame.String(&o.in.DependencyOf, "dependency-of", "what it waits for"),
			frame.String(&o.in.Key, "key", "with this key"),
			frame.String(&o.in.Gate, "gate", "with this gate"),
			frame.Priority(&o.in.Priority, "0 or P0, to 3"),
			frame.Bool(&o.in.Overdue, "overdue", "due before now"),
			frame.OneOf(&o.in.Mark, "mark", task.Marks, strings.Join(task.Marks, ", ")),
			frame.String(&o.in.Q, "q", "as WORDS: in title, key or id"),
			frame.MaybeBool(&o.in.Ready, "ready", "ready (=false: not)"),
			frame.MaybeBool(&o.in.Blocked, "blocked", "waiting for a task (=false: not)"),
			frame.Bool(&o.waiting, "waiting", "the same"),
			frame.OneOf(&o.in.Sort, "sort", query.Sorts, strings.Join(query.Sorts, ", ")),
			frame.OneOf(&o.in.Group, "group", query.Groups, strings.Join(query.Groups, ", ")),
			frame.Strings(&o.columns, "columns", "of "+strings.Join(render.Columns(), ", ")),
			frame.MaybeInt(&o.in.Limit, "limit", "up to 1000 (default 50)"),
			frame.Bool(&o.all, "all", "as many as there are"),
			frame.String(&o.in.Cursor, "cursor", "continue where a page ended"),
			frame.At(&o.in.At),
			follow.Watch(&o.watch),
			frame.Hidden("q", "waiting"), // other names for WORDS and --blocked
		},
	}, o.run)
}

func (o *listOptions) run(ctx context.Context, f *frame.Factory, args []string) (err error) {
	if len(args) > 0 {
		if o.in.Q != "" {
			return fault.Bad("the words %q and --q %q are both given", strings.Join(args, " "), o.in.Q)
		}
		o.in.Q = strings.Join(args, " ")
	}
	if err := render.CheckColumns(o.columns); err != nil {
		return err
	}
	if o.all && o.in.Limit != nil {
		return fault.Bad("--all lists as many as there are, and --limit says how many").WithHint("leave one of them out")
	}
	if o.in.Project, err = f.ProjectWith(ctx, &o.in.Parent, &o.in.DependsOn, &o.in.DependencyOf, &o.in.Under); err != nil {
		return err
	}
	if o.in.Status == "closed" {
		o.in.Status = string(task.Done) + "," + string(task.Cancelled)
	}
	if o.waiting {
		o.in.Blocked = &o.waiting
	}
	if o.unheld {
		o.in.State = task.States[task.StateUnheld]
	}
	return follow.Paint(ctx, f, o.watch, reading.EventsIn{Project: o.in.Project}, func(ctx context.Context) error { return o.show(ctx, f) })
}

func (o *listOptions) show(ctx context.Context, f *frame.Factory) error {
	out, err := tasksOf(ctx, f, o.in, o.all)
	return f.Answered(err, out, func() {
		render.Was(f, out.At)
		render.Tasks(f, out.Tasks, out.States, out.ForPeople, o.columns...)
		switch {
		case len(out.Tasks) == 0 && out.NextCursor != "":
			f.Say("None of the tasks looked at so far fits; continue with --cursor %s\n", out.NextCursor)
		case out.Total == 0:
			f.Say("%s\n", noTask(ctx, f, out.Project))
		case out.NextCursor != "":
			f.Say("%d of %d%s; more with --cursor %s\n", len(out.Tasks), out.Total, words.When(out.TotalMore, "+"), out.NextCursor)
		}
	})
}

// noTask says that a list is empty, and how to begin if that is because the project is.
func noTask(ctx context.Context, f *frame.Factory, project string) string {
	if p, err := frame.Call(ctx, f, op.Project, core.ProjectIn{Slug: project}); err == nil && p.Tasks.Total() == 0 {
		return "There are no tasks in " + project + " yet; begin with one: " + f.AsCommand(hint.Add(project))
	}
	return "No task in " + project + " fits"
}

// A page ends early if its records are large. The commands still show as many as were asked for: they continue from the
// end of each page.

// tasksOf returns the tasks of a list, up to its limit, or all of them.
func tasksOf(ctx context.Context, f *frame.Factory, in reading.ListIn, all bool) (reading.ListOut, error) {
	limit, bad := core.LimitOr(in.Limit, core.DefaultLimit)
	if all {
		limit = math.MaxInt
		in.Limit = &limit // a page is cut at its own limit
	}
	out, err := frame.Call(ctx, f, op.List, in)
	for err == nil && bad == nil && len(out.Tasks) < limit && out.NextCursor != "" {
		in.Cursor, in.Limit = string(out.NextCursor), new(limit-len(out.Tasks))
		var more reading.ListOut
		more, err = frame.Call(ctx, f, op.List, in)
		out.Tasks, out.NextCursor = append(out.Tasks, more.Tasks...), more.NextCursor
		out.States, out.ForPeople = append(out.States, more.States...), append(out.ForPeople, more.ForPeople...)
	}
	return out, err
}

// eventsOf returns events from the log, up to the limit, oldest first.
func eventsOf(ctx context.Context, f *frame.Factory, in reading.EventsIn) ([]task.Event, error) {
	out, err := frame.Call(ctx, f, op.Events, in)
	limit, bad := core.LimitOr(in.Limit, core.DefaultEventsLimit)
	forward := in.SinceID != nil || in.Since != ""
	for got := len(out); err == nil && bad == nil && got > 0 && len(out) < limit; {
		in.Limit = new(limit - len(out))
		if forward {
			in.SinceID = &out[len(out)-1].ID
		} else {
			in.BeforeID = &out[0].ID
		}
		var more []task.Event
		more, err = frame.Call(ctx, f, op.Events, in)
		if got = len(more); forward {
			out = append(out, more...)
		} else {
			out = append(more, out...)
		}
	}
	return out, err
}

// NewReady returns the command `tasker ready`.
func NewReady(f *frame.Factory) *cobra.Command {
	var limit *int
	return frame.Operation(f, frame.Spec{
		Use: "ready", Args: frame.Between(0, 0),
		Example: []string{"tasker ready", "tasker ready --limit 5 --json"},
		Flags: []frame.Flag{
			wholeOf(&limit),
		},
	}, op.Ready, func(a *frame.Args, _ []string) reading.ReadyIn {
		return reading.ReadyIn{Slug: a.Project(), Limit: screenful(f, limit)}
	}, func(f *frame.Factory, out reading.ReadyOut) {
		render.Tasks(f, out.Tasks, nil, out.ForPeople)
		switch {
		case len(out.Advice) > 0:
			f.Say("%s\n", render.Begin(f, out.Advice))
		case out.Total == 0:
			f.Say("Nothing is ready in %s\n", out.Project)
		case out.Total > len(out.Tasks):
			f.Say("%d of %d ready, by %s; %d more: %s\n", len(out.Tasks), out.Total, task.SelectWords(out.SelectedBy),
				out.Total-len(out.Tasks), f.AsCommand(hint.Here("list --ready --all")))
		}
	})
}
