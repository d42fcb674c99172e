package inbox

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/hint"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/task/waiting"
	"tasker/internal/text/words"
)

// inboxOptions holds the options of `tasker inbox`.
type inboxOptions struct {
	in   inbox.InboxIn
	walk bool
}

// NewInbox returns the command `tasker inbox`.
func NewInbox(f *frame.Factory) *cobra.Command {
	o := &inboxOptions{}
	return f.Command(frame.Spec{
		Use: "inbox", Short: op.Inbox.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{
			"tasker inbox",
			"tasker inbox --walk   # one by one: approve, send back, answer, skip",
			"tasker inbox --all --json",
			"tasker inbox ack review:demo-4",
		},
		Long: "Items follow from how things stand: an item goes when what it asks for is done. One put away with ack comes back\n" +
			"only when the same happens again.",
		Flags: []frame.Flag{
			frame.Bool(&o.in.All, "all", "what waits for anyone, and what you have put away"),
			frame.String(&o.in.Actor, "for", "what waits for this actor"),
			frame.String(&o.in.Task, "task", "only what waits about this task"),
			frame.Bool(&o.walk, "walk", "go through the items one by one, on a terminal"),
			frame.OneOf(&o.in.Sort, "sort", []string{waiting.SortImpact}, "in which order: by default the oldest first"),
			frame.MaybeInt(&o.in.Limit, "limit", "how many to show, up to 1000 (default 50)"),
		},
		Commands: []*cobra.Command{newInboxAck(f), newInboxTake(f), newInboxGive(f)},
	}, o.run)
}

func (o *inboxOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	a := f.Args(ctx)
	if o.in.Slug = a.Project(); o.in.Task != "" {
		o.in.Task = a.TaskToRead(o.in.Task)
	}
	if o.walk && a.Err == nil {
		return walkInbox(ctx, f, o.in)
	}
	return frame.DoWith(a, op.Inbox, o.in, func(f *frame.Factory, out inbox.InboxOut) { showInbox(f, out, o.in.All, o.in.Actor == "") })
}

// showInbox prints an inbox; mine says whether it is the caller's own.
func showInbox(f *frame.Factory, out inbox.InboxOut, all, mine bool) {
	for _, it := range out.Items {
		showItem(f, it, false)
		showSettling(f, it, mine)
	}
	switch {
	case out.Total == 0:
		f.Say("Nothing waits for %s in %s\n", words.Either(all, "anyone", cmp.Or(out.Actor, "you")), out.Project)
	case out.TotalMore, out.Total > len(out.Items):
		f.Say("%d of %s%d\n", len(out.Items), words.When(out.TotalMore, "more than "), out.Total)
	}
	if out.Total > 0 && !all {
		f.Say("Go through them: %s\n", f.AsCommand(hint.Command("inbox --walk -p "+out.Project)))
	}
}

// maxNote is how many characters of a hand-over note a list shows.
const maxNote = 200

// showItem prints one item: its subject, what it asks of whom, and the id that ack takes. fresh marks it as new.
func showItem(f *frame.Factory, it inbox.Item, fresh bool) {
	f.Out.Spans(term.Bold.Of(string(it.Task)+"  "+strings.ReplaceAll(string(it.Kind), "_", " ")), term.Faint.Of(", "+render.Ago(f, it.Since)))
	switch {
	case it.Frees != nil && it.Frees.InAll > 0:
		f.Out.Spans(term.Yellow.Of(", holds up " + words.Count(it.Frees.InAll, "other", "others")))
	case it.Frees == nil && it.Unblocks > 0:
		f.Out.Spans(term.Yellow.Of(", " + words.Count(it.Unblocks, "task waits", "tasks wait") + " directly for it"))
	}
	if fresh {
		f.Out.Spans(term.Yellow.Of(", new"))
	}
	if it.Seen {
		f.Out.Spans(term.Faint.Of(", put away"))
	}
	if it.TakenBy != "" {
		f.Out.Spans(term.Yellow.Of(fmt.Sprintf(", taken by %s %s", it.TakenBy, render.Until(f, it.TakenTo))))
	}
	f.Out.Printf("\n    %s\n", it.Title)
	f.Out.Block("    ", "for "+it.For+": "+it.Asks())
	if a := it.About; a != nil {
		if work := a.Work(); work != "" {
			f.Out.Line(term.Textf("    %s", work))
		}
		if a.Note != "" {
			f.Out.Line(term.Faint.Of("    "+string(a.NoteBy)+": "), term.Textf("%s", words.Cut(strings.Join(strings.Fields(string(a.Note)), " "), maxNote)))
		}
	}
	f.Out.Line(term.Faint.Of("    item "), term.Textf("%s", it.ID))
}

// showSettling prints the commands that settle an item, the recommended one first.
func showSettling(f *frame.Factory, it inbox.Item, mine bool) {
	for i, line := range it.Settle {
		call := hint.Typed(line)
		call.ByOther = !mine
		f.Out.Line(term.Faint.Of(words.Either(i == 0, "    settle it: ", "    or: ")), term.Textf("%s", f.AsCommand(call)))
	}
}

func newInboxAck(f *frame.Factory) *cobra.Command {
	return frame.Operation(f, frame.Spec{
		Use: "ack ITEM…", Args: frame.Between(1, -1, "the id of an ITEM"),
		Example: []string{"tasker inbox ack override:demo-4:23 lease_expired:demo-7"},
	}, op.Ack, func(a *frame.Args, args []string) inbox.AckIn {
		return inbox.AckIn{Slug: projectOf(a, args[0]), Items: args}
	}, func(f *frame.Factory, out inbox.AckOut) {
		f.Say("Put away for %s: %s\n", out.Actor, words.List(out.Items))
	})
}

// takeOptions holds the options of `tasker inbox take`.
type takeOptions struct{ lasts *int64 }

func newInboxTake(f *frame.Factory) *cobra.Command {
	o := &takeOptions{}
	return frame.Operation(f, frame.Spec{
		Use: "take ITEM", Args: frame.Exactly("the id of an ITEM"),
		Example: []string{"tasker inbox take review:demo-4", "tasker inbox take review:demo-4 --for 2h"},
		Long: "Everybody sees who took it, on every face, and taking it is declined to others. That ends with the item, after its\n" +
			"time, or with inbox give. Taking it again extends it.",
		Flags: []frame.Flag{frame.Lease(&o.lasts, "for", "for how long, such as 10m or 2h, up to 7d (default 30m)")},
	}, op.Take, func(a *frame.Args, args []string) inbox.TakeIn {
		return inbox.TakeIn{Slug: projectOf(a, args[0]), Item: args[0], ForMs: o.lasts}
	}, func(f *frame.Factory, out inbox.TakeOut) {
		f.Say("%s is taken by %s %s\n", out.Item, out.By, render.Until(f, out.Until))
	})
}

func newInboxGive(f *frame.Factory) *cobra.Command {
	return frame.Operation(f, frame.Spec{
		Use: "give ITEM", Args: frame.Exactly("the id of an ITEM"),
		Example: []string{"tasker inbox give review:demo-4"},
	}, op.Give, func(a *frame.Args, args []string) inbox.GiveIn {
		return inbox.GiveIn{Slug: projectOf(a, args[0]), Item: args[0]}
	}, func(f *frame.Factory, out inbox.TakeOut) { f.Say("%s is taken by nobody now\n", out.Item) })
}

// projectOf returns the project of an inbox item.
func projectOf(a *frame.Args, item string) string {
	ref, err := waiting.ParseItem(item)
	a.Refuse(err)
	slug, _, _ := task.ParseID(string(ref.Task))
	return slug
}
