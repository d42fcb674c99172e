package admin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tasker/internal/admin"
	"tasker/internal/cli/frame"
	"tasker/internal/config/format"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/unfinished"
)

// eventsPruneOptions holds the options of `tasker events prune`.
type eventsPruneOptions struct {
	before, olderThan, archive string
	dry, yes                   bool
}

// NewEventsPrune returns the command `tasker events prune`.
func NewEventsPrune(f *frame.Factory) *cobra.Command {
	o := &eventsPruneOptions{}
	return f.Command(frame.Spec{
		Use: "prune", Here: "pruning the log", Short: op.EventsPrune.Op.Summary, Args: frame.Between(0, 0),
		Example: []string{
			"tasker events prune --older-than 90d --archive events-2026.jsonl --dry-run",
			"tasker events prune --older-than 90d --archive events-2026.jsonl --yes",
		},
		Long: "It writes every earlier event of every project to the archive, one line of JSON each. Only its owner can read the\n" +
			"archive, and it never replaces a file; it is read back and checked before anything is removed. Then the events are\n" +
			"removed, in short turns that let others work. What records still need stays stored: the events of open tasks, the\n" +
			"newest of each kind for a task, a project and an actor, plans, and overrides. From then on the log begins with\n" +
			"firstEvent: a cursor before it is refused as gone (410, exit code 4), and what happened before it cannot be undone.\n\n" +
			"It asks first; without a terminal it needs --yes.",
		Flags: []frame.Flag{
			frame.String(&o.before, "before", "prune what happened before this RFC 3339 time"),
			frame.String(&o.olderThan, "older-than", "prune what is older than a duration, such as 90d"),
			frame.String(&o.archive, "archive", "the file that the events go to; it must not exist yet"),
			frame.Bool(&o.dry, "dry-run", "count what would be pruned, and write nothing"),
			frame.Bool(&o.yes, "yes", "do not ask"),
			frame.Filename("archive"),
		},
	}, o.run)
}

func (o *eventsPruneOptions) run(ctx context.Context, f *frame.Factory, _ []string) error {
	before, err := o.until(f)
	if err != nil {
		return err
	}
	if o.archive == "" && !o.dry {
		return fault.Bad("events prune needs a file for what it removes").WithMissing("--archive").
			WithHint("for example %s", hint.Command("events prune --older-than 90d --archive events.jsonl"))
	}
	path := f.Path(o.archive)
	if _, err := os.Lstat(path); err == nil && !o.dry {
		return isThere(o.archive)
	}
	would, err := frame.Call(ctx, f, op.EventsPrune, admin.EventsPruneIn{Before: before, DryRun: true})
	if err != nil {
		return err
	}
	if o.dry || would.Pruned == 0 {
		would.DryRun = o.dry
		return f.Answer(would, func() { o.say(f, would) })
	}
	many := words.Count(would.Pruned, "event", "events")
	if !o.yes && !frame.Agrees(f, fmt.Sprintf("Move %s from before event %d to %s?", many, would.FirstEvent, o.archive)) {
		return fault.Decline("this would move %s from before event %d to %s", many, would.FirstEvent, o.archive).
			WithHint("say that you mean it: %s; nothing was written", hint.Command("events prune --before "+before+" --archive "+words.Shell(o.archive)+" --yes"))
	}
	for _, left := range unfinished.Sweep(filepath.Dir(path)) {
		f.Warn([]string{left + " was removed: an interrupted command had left it behind"})
	}
	file, err := newArchive(path, o.archive)
	if err != nil {
		return err
	}
	defer file.tmp.Discard()
	out, err := frame.Call(ctx, f, op.EventsPrune, admin.EventsPruneIn{Before: before, Name: filepath.Base(path), Add: file.lines.Add, Close: file.close})
	if out.Archive != "" {
		out.Archive = task.Opt(o.archive)
	}
	return f.Answered(err, out, func() { o.say(f, out) })
}

// until returns the time before which events are removed.
func (o *eventsPruneOptions) until(f *frame.Factory) (string, error) {
	if (o.before == "") == (o.olderThan == "") {
		return "", fault.Bad("say which events to prune, with --before or --older-than").
			WithHint("for example %s", hint.Command("events prune --older-than 90d --archive events.jsonl --dry-run"))
	}
	if o.before != "" {
		return o.before, nil
	}
	d, err := format.ParseDuration(o.olderThan)
	return task.TimeOf(f.Now().Add(-d)).String(), fault.At("--older-than", err)
}

func (o *eventsPruneOptions) say(f *frame.Factory, out admin.EventsPruneOut) {
	many := words.Count(out.Pruned, "event", "events")
	switch {
	case out.Pruned == 0:
		f.Say("There is nothing to prune\n")
	case out.DryRun:
		f.Out.Printf("%s would be pruned; the log would begin with event %d\n", many, out.FirstEvent)
	default:
		f.Say("%s pruned: %s from before event %d are in %s; %d stay stored too, because records need them\n",
			many, words.Count(out.Archived, "event", "events"), out.FirstEvent, out.Archive, *out.Kept)
	}
	if out.HeldBack != nil {
		f.Warn([]string{fmt.Sprintf("a notification channel has looked at events only up to %d, and needs what comes after: "+
			"let a server deliver, or %s", *out.HeldBack, f.AsCommand(hint.Command("notify flush")))})
	}
}

func isThere(name string) error {
	return fault.Decline("%s is there already", name).WithHint("name a file that is not there yet")
}
