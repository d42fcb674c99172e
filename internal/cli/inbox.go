package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/view"
)

func (f *factory) newInbox() *cobra.Command {
	var in view.InboxIn
	var limit intFlag[int]
	var walk bool
	cmd := f.command(spec{
		use: "inbox", short: op.Inbox.Summary, args: between(0, 0),
		example: []string{"tasker inbox", "tasker inbox --walk   # one by one: approve, send back, answer, skip", "tasker inbox --all --json", "tasker inbox ack review:demo-4"},
		long:    "Items follow from how things stand: one goes when what it asks for is done. Put away with ack, it comes back only\nwhen the same happens anew.",
	}, func(ctx context.Context, f *factory, _ []string) (err error) {
		if in.Slug, err = f.oneProject(ctx); err != nil {
			return err
		}
		in.Limit = limit.n
		if walk {
			return f.walk(ctx, in)
		}
		return do(ctx, f, op.Inbox, in, func(f *factory, out view.InboxOut) { f.showInbox(out, in.All) })
	})
	fs := cmd.Flags()
	fs.BoolVar(&in.All, "all", false, "what waits for anyone, and what you have put away")
	fs.StringVar(&in.Actor, "for", "", "what waits for this actor")
	fs.BoolVar(&walk, "walk", false, "go through the items one by one, on a terminal")
	fs.Var(&limit, "limit", "how many to show, up to 1000 (default 50)")
	cmd.AddCommand(f.newInboxAck())
	return cmd
}

func (f *factory) newInboxAck() *cobra.Command {
	return f.command(spec{
		use: "ack ITEM…", short: op.Ack.Summary, args: between(1, -1, "the id of an ITEM"),
		example: []string{"tasker inbox ack override:demo-4:23 lease_expired:demo-7"},
	}, func(ctx context.Context, f *factory, args []string) error {
		ref, err := task.ParseItem(args[0])
		if err != nil {
			return err
		}
		slug, _, _ := task.ParseID(string(ref.Task))
		return do(ctx, f, op.Ack, view.AckIn{Slug: slug, Items: args}, func(f *factory, out view.AckOut) {
			f.say("Put away for %s: %s\n", out.Actor, list(out.Items))
		})
	})
}

func (f *factory) showInbox(out view.InboxOut, all bool) {
	for _, it := range out.Items {
		f.showItem(it)
	}
	whose := "you"
	if out.Actor != "" {
		whose = out.Actor
	}
	switch {
	case out.Total == 0 && all:
		f.say("Nothing waits for anyone in %s\n", out.Project)
	case out.Total == 0:
		f.say("Nothing waits for %s in %s\n", whose, out.Project)
	case out.TotalMore:
		f.say("%d of more than %d\n", len(out.Items), out.Total)
	case out.Total > len(out.Items):
		f.say("%d of %d\n", len(out.Items), out.Total)
	}
	if out.Total > 0 && !all {
		f.say("Go through them: tasker inbox --walk -p %s\n", out.Project)
	}
}

// showItem prints one item: what it is called, what it is about, and what is wanted.
func (f *factory) showItem(it view.Item) {
	f.out.Spans(span{it.ID, bold}, span{"  " + ago(it.Since, f.now()), faint})
	if it.Unblocks > 0 {
		f.out.Spans(span{", " + count(it.Unblocks, "task waits", "tasks wait") + " for it", yellow})
	}
	if it.Seen {
		f.out.Spans(span{", put away", faint})
	}
	f.out.Printf("\n    %s\n", it.Title)
	f.out.Block("    ", "for "+it.For+": "+it.Why)
}

// kindWords is a kind in words.
func kindWords(kind string) string { return strings.ReplaceAll(kind, "_", " ") }

// walk goes through the inbox item by item.
func (f *factory) walk(ctx context.Context, in view.InboxIn) error {
	if f.flags.json || in.All || in.Actor != "" {
		return fault.Bad("--walk goes through your own inbox, with you").WithHint("leave --json, --all and --for out")
	}
	if !f.p.InTTY || !f.p.OutTTY {
		return fault.Bad("--walk asks questions, and this is no terminal").WithHint("list them instead: tasker inbox --json")
	}
	out, err := call(ctx, f, op.Inbox, in)
	if err != nil {
		return err
	}
	w := &walker{f: f, lines: f.lines()}
	for i, it := range out.Items {
		f.out.Printf("\n")
		f.out.Spans(span{txt("%d of %d  ", i+1, len(out.Items)).text, faint})
		f.showItem(it)
		if !w.step(ctx, it) {
			break
		}
	}
	f.out.Printf("\n")
	f.say("%s\n", w.sum(out))
	return nil
}
