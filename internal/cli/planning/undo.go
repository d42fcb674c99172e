package planning

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/planning"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
)

// undoOptions holds the options of `tasker undo`.
type undoOptions struct {
	in  planning.UndoIn
	yes bool
}

// NewUndo returns the command `tasker undo`.
func NewUndo(f *frame.Factory) *cobra.Command {
	o := &undoOptions{}
	return f.Command(frame.Spec{
		Use: "undo [N]", Here: "undo", Short: op.Undo.Op.Summary, Args: frame.Between(0, 1),
		Example: []string{
			"tasker undo                                 # your last change: shown first, then asked",
			"tasker events --limit 20                    # the numbers to undo",
			"tasker undo 120 --dry-run",
			"tasker undo 120",
			"tasker undo --by claude/3 --since 2h --dry-run",
		},
		Long: "Without N it takes back your last change in the project that can be taken back: it shows it and asks; without a\n" +
			"terminal it needs --yes.\n\n" +
			"N is the number of a batch (the first event of a request, such as a whole apply), else of an event. With --by and --since,\n" +
			"everything that an actor did in the project since then is taken back as one change, and its claims end.\n\n" +
			"It writes the inverse, with events of its own, under the rules for every write. A created task that nobody touched is\n" +
			"removed, any other cancelled; a decision or a question is withdrawn; the project gets back its slug, its settings, and\n" +
			"its place in the archive or out of it. Claims, notes, evidence, approvals and answers stay, and are listed. Where\n" +
			"something was changed again since, nothing is undone (exit code 3), unless --skip-conflicts, which undoes every field that\n" +
			"has no conflict and lists every one that has.",
		Flags: []frame.Flag{
			frame.Bool(&o.in.Event, "event", "N is an event, even if it is the first of a batch"),
			frame.String(&o.in.By, "by", "undo what this actor did; a name without an instance means all of them"),
			frame.String(&o.in.Since, "since", "with --by: from then on, an RFC 3339 time, a date, seconds since 1970, or a duration such as 2h back from now"),
			frame.Bool(&o.in.SkipConflicts, "skip-conflicts", "undo every field that has no conflict, and list the others"),
			frame.Bool(&o.in.DryRun, "dry-run", "say what would be undone, and write nothing"),
			frame.Bool(&o.yes, "yes", "without N: do not ask"),
		},
	}, o.run)
}

func (o *undoOptions) run(ctx context.Context, f *frame.Factory, args []string) error {
	if len(args) > 0 {
		a := f.Args(ctx)
		o.in.Number = a.Number(args[0], fault.Bad("%s is not the number of an event", words.Quoted(args[0])).
			WithHint("the number that %s shows", hint.Command("events")))
		if a.Err != nil {
			return a.Err
		}
	}
	o.in.Since = f.Since(o.in.Since)
	o.in.Project = f.Flags.Project
	if o.in.Number == 0 && o.in.By == "" {
		if err := o.lastOfMine(ctx, f); err != nil {
			return err
		}
	}
	out, err := frame.Call(ctx, f, op.Undo, o.in)
	well := len(out.Conflicts) == 0 || o.in.SkipConflicts || o.in.DryRun
	return f.AnsweredOr(err, out, well, frame.ErrExit(fault.ExitDeclined), func() {
		showUndone(f, out)
		if len(out.Undone) > 0 && !out.DryRun {
			frame.EchoTaken(ctx, f, projectOf(f, out), "")
		}
	})
}

// Limits of the search for a caller's last change.
const (
	maxMine  = 200 // events
	maxTried = 20  // changes that turn out to have nothing to undo, such as notes
)

// lastOfMine chooses the caller's last change in the project that can be undone, and, unless it is only to be shown or
// --yes is given, shows it and asks.
func (o *undoOptions) lastOfMine(ctx context.Context, f *frame.Factory) error {
	project, err := f.ProjectToWrite(ctx)
	if err != nil {
		return err
	}
	me, err := frame.Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: project})
	if err != nil {
		return err
	}
	limit := maxMine
	mine, err := frame.Call(ctx, f, op.Events, reading.EventsIn{Project: project, By: me.Full(), Limit: &limit})
	if err != nil {
		return err
	}
	for _, batch := range changes(mine) {
		o.in.Number = batch
		would, err := frame.Call(ctx, f, op.Undo, planning.UndoIn{Number: batch, SkipConflicts: o.in.SkipConflicts, DryRun: true})
		switch {
		case err != nil:
			return err
		case len(would.Undone)+len(would.Conflicts) == 0:
			continue // nothing that it did can be taken back
		case o.in.DryRun || o.yes:
			return nil
		}
		if f.Process.InTTY && f.Process.OutTTY && !f.Flags.JSON {
			showUndone(f, would)
		}
		if frame.Agrees(f, "Undo this?") {
			return nil
		}
		return fault.Decline("your last change in %s that can be undone is %d, and nobody agreed to undo it", project, batch).
			WithMissing(words.Each(would.Undone[:min(len(would.Undone), maxTried)], func(u planning.Undone) string {
				return orProject(u.Task) + ": " + undoneWords(u)
			})...).
			WithHint("undo exactly this: %s; or whatever is your last change by then: %s; nothing was written",
				hint.Command("undo "+strconv.FormatInt(batch, 10)), hint.Command("undo --yes -p "+project))
	}
	return fault.Decline("%s has changed nothing in %s lately that can be undone", me.Full(), project).
		WithHint("see what was done: %s", hint.Command("events -p "+project))
}

// changes returns the batches of events, newest first, without undos and without what they have undone.
func changes(events []task.Event) []int64 {
	var out []int64
	undone := map[int64]bool{}
	for _, e := range slices.Backward(events) {
		var of struct {
			Undoes int64 `json:"undoes"`
		}
		if json.Unmarshal(e.Payload, &of) == nil && of.Undoes != 0 {
			undone[of.Undoes] = true
			continue
		}
		if !undone[e.ID] && len(out) < maxTried && !slices.Contains(out, e.Batch) {
			out = append(out, e.Batch)
		}
	}
	return out
}

// projectOf returns the project of what was undone.
func projectOf(f *frame.Factory, out planning.UndoOut) string {
	for _, u := range out.Undone {
		if slug, _, ok := task.ParseID(string(u.Task)); ok {
			return slug
		}
	}
	return f.Flags.Project
}

func showUndone(f *frame.Factory, out planning.UndoOut) {
	partly := map[int64]bool{} // events that were undone, at least in part
	for _, u := range out.Undone {
		partly[u.Event] = true
		f.Out.Line(term.Yellow.Of("~ "), term.Textf("%s: %s (event %d)", orProject(u.Task), undoneWords(u), u.Event))
	}
	for _, id := range out.Released {
		f.Out.Printf("%s is released\n", id)
	}
	for _, c := range out.Conflicts {
		stays := words.Either(partly[c.Event], fmt.Sprintf("%s of event %d stays", c.Field, c.Event), fmt.Sprintf("event %d stays, %s", c.Event, c.Field))
		f.Out.Line(term.Red.Of("! "), term.Textf("%s: %s: %s", orProject(c.Task), stays, c.Why))
	}
	for _, l := range out.Left {
		f.Out.Printf("  %s: event %d (%s) has no inverse, and stays\n", orProject(l.Task), l.Event, l.Kind)
	}
	for _, b := range out.BuiltOn {
		f.Out.Printf("  %s: %s has built on it: event %d (%s)\n", b.Task, b.Actor, b.Event, b.Kind)
	}
	f.Say("%s %s, %s\n", words.Count(len(out.Undone), "event", "events"), words.Either(out.DryRun, "would be undone", "undone"),
		words.Count(len(out.Conflicts), "conflict", "conflicts"))
	if len(out.Waiting) > 0 {
		f.Say("Waiting again: %s\n", words.List(out.Waiting))
	}
	for _, c := range out.Commits {
		f.Say("To revert: %s (%s)\n", c.Commit, c.Task)
	}
}

// orProject names what an event was about: a task, or else the project.
func orProject(id task.Opt) string {
	return cmp.Or(string(id), "the project")
}

// undoneWords says what happened to a task.
func undoneWords(u planning.Undone) string {
	if d, ok := u.Changes["task"]; ok && d.To == nil {
		return "removed"
	}
	names := slices.Sorted(maps.Keys(u.Changes))
	return words.List(words.Each(names, func(name string) string { return render.ChangeWords(name, u.Changes[name]) }))
}
