package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/config"
	"tasker/internal/inbox"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/text/words"
	"tasker/internal/views/reading"
	"tasker/internal/workspace/machine"
)

// maxDiffered is how many files are listed.
const maxDiffered = 1000

// diffed is the answer of `tasker diff`.
type diffed struct {
	Task      task.ID            `json:"task"`
	Branch    string             `json:"branch"`
	Base      string             `json:"base"`
	Head      string             `json:"head"`
	Files     []machine.FileDiff `json:"files"`
	More      int                `json:"more"` // files that are not listed
	Criteria  []shows            `json:"criteria"`
	Rounds    []bundle.Round     `json:"rounds"`
	RoundsCut bool               `json:"roundsCut"` // there may be earlier ones
	Settle    []string           `json:"settle"`
	Warnings  []string           `json:"warnings"`
}

// shows is a criterion with what its tick rests on.
type shows struct {
	Index    int             `json:"index"`
	Text     string          `json:"text"`
	Rests    task.Opt        `json:"rests"`
	Evidence task.EvidenceID `json:"evidence"`
}

// NewDiff returns the command `tasker diff`.
func NewDiff(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "diff ID", Short: "Show what the branch of a task changes, for a review", IDs: true, Args: frame.Between(1, 1, "the ID of a task"),
		Example: []string{"tasker diff demo-4", "tasker diff demo-4 --json"},
		Long: "The branch is that of the task's workspace here, else one that is bound to it, else the one that branch.template names;\n" +
			"it is compared with where it forked from the base. First come the files with their lines, and those that the task's\n" +
			"touches do not cover; then what each criterion rests on, how often the task was sent back and why, and the commands\n" +
			"that settle the review; then the difference itself. No remote is asked.",
	}, runDiff)
}

func runDiff(ctx context.Context, f *frame.Factory, args []string) error {
	id, err := f.TaskIDToRead(ctx, args[0])
	if err != nil {
		return err
	}
	b, err := frame.Call(ctx, f, op.Show, reading.ShowIn{Task: id})
	if err != nil {
		return err
	}
	d, err := compared(ctx, f, b)
	if err != nil {
		return err
	}
	out := diffed{
		Task: b.Task.ID, Branch: d.Branch, Base: d.Base, Head: d.Head, Files: d.Files[:min(len(d.Files), maxDiffered)],
		More: max(0, len(d.Files)-maxDiffered), Settle: []string{}, Warnings: append([]string{}, d.Warnings...),
		Criteria: make([]shows, len(b.Task.Criteria)),
	}
	for i, c := range b.Task.Criteria {
		out.Criteria[i] = shows{c.Index, c.Text, c.Rests, c.By}
	}
	if len(b.Task.Touches) > 0 {
		names := words.Each(d.Files, func(file machine.FileDiff) string { return file.Path })
		outside, unread := uncovered(ctx, b.Task, names)
		for i := range d.Files {
			d.Files[i].Outside = slices.Contains(outside, d.Files[i].Path)
		}
		out.Warnings = append(out.Warnings, unread...)
	}
	if err := out.history(ctx, f); err != nil {
		return err
	}
	if f.Flags.JSON {
		return f.Answer(out, func() {})
	}
	text, err := d.Text(ctx)
	if err != nil {
		return err
	}
	return f.Answer(out, func() { out.show(f, d, text) })
}

// compared compares the branch of a task with the base that the project's record names.
func compared(ctx context.Context, f *frame.Factory, b *bundle.Bundle) (*machine.Difference, error) {
	ctx, m, err := Manager(ctx, f)
	if err != nil {
		return nil, err
	}
	stored, _, _ := f.StoredLayer(ctx, b.Task.Project)
	base, err := config.BaseOf(b.Task.Project, stored)
	if err != nil {
		return nil, err
	}
	var bound []string
	for _, x := range b.Bindings {
		if x.Kind == "branch" {
			bound = append(bound, x.Ref)
		}
	}
	return m.Difference(ctx, Of(b), bound, base)
}

// history adds how often the task was sent back, and the commands that settle what waits for the caller about it.
func (d *diffed) history(ctx context.Context, f *frame.Factory) error {
	events, err := frame.Call(ctx, f, op.Events, reading.EventsIn{Task: string(d.Task), Limit: new(1000)})
	if err != nil {
		return err
	}
	d.Rounds = bundle.Rounds(events)
	d.RoundsCut = len(events) > 0 && events[0].Kind != task.TaskCreated
	slug, _, _ := task.ParseID(string(d.Task))
	waits, err := frame.Call(ctx, f, op.Inbox, inbox.InboxIn{Slug: slug, Task: string(d.Task)})
	if err != nil {
		return err
	}
	for _, item := range waits.Items {
		for _, command := range item.Settle {
			if !slices.Contains(d.Settle, command) {
				d.Settle = append(d.Settle, command)
			}
		}
	}
	return nil
}

// show prints what a reviewer needs, the difference last.
func (d *diffed) show(f *frame.Factory, of *machine.Difference, text string) {
	f.Warn(d.Warnings)
	added, removed := 0, 0
	for _, file := range of.Files {
		if file.Added != nil {
			added, removed = added+*file.Added, removed+*file.Removed
		}
	}
	f.Out.Line(term.Bold.Of(string(d.Task)), term.Textf("  %s against %s: %s, +%d -%d", d.Branch, of.Against,
		words.Count(len(of.Files), "file", "files"), added, removed))
	for _, file := range d.Files {
		counts := "not text"
		if file.Added != nil {
			counts = fmt.Sprintf("+%d -%d", *file.Added, *file.Removed)
		}
		outside := ""
		if file.Outside {
			outside = "  outside its touches"
		}
		f.Out.Line(term.Textf("  %-10s %s", counts, file.Path), term.Textf("%s", outside))
	}
	if d.More > 0 {
		f.Out.Printf("  %d more\n", d.More)
	}
	for _, c := range d.Criteria {
		rests := "not ticked"
		if c.Rests != "" {
			rests = "rests on: " + string(c.Rests)
		}
		f.Out.Printf("%d. %s (%s)\n", c.Index, c.Text, rests)
	}
	for _, r := range d.Rounds {
		why := "no reason given"
		if r.Why != "" {
			why = string(r.Why)
		}
		f.Out.Printf("Sent back by %s %s: %s\n", r.By, render.Ago(f, r.At), why)
	}
	for _, command := range d.Settle {
		f.Out.Printf("  %s\n", command)
	}
	if text == "" {
		f.Say("%s has all of it\n", of.Against)
		return
	}
	f.Out.Printf("\n")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		sign := byte(' ')
		if line != "" && !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "---") {
			sign = line[0]
		}
		f.Out.Line(render.Changed(sign).Of(line))
	}
}
