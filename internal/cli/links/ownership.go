package links

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/links"
	"tasker/internal/op"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// NewOwnership returns the command `tasker ownership`.
func NewOwnership(f *frame.Factory) *cobra.Command {
	return f.Group(frame.Spec{
		Use: "ownership", Short: "Decide which system owns which field of a task",
		Example:  []string{"tasker ownership show"},
		Commands: []*cobra.Command{newOwnershipShow(f), newOwnershipSet(f)},
	})
}

func newOwnershipShow(f *frame.Factory) *cobra.Command {
	return linked(f, frame.Spec{
		Use:     "show",
		Example: []string{"tasker ownership show", "tasker ownership show --json"},
	}, op.Ownership, showOwnership)
}

func showOwnership(f *frame.Factory, out links.OwnershipOut) {
	f.Out.Printf("%s: %s %s\n", out.Project, words.Either(out.DryRun, "the preset would be", "preset"), out.Preset)
	f.Out.Table([]term.Column{{Head: "FIELD"}, {Head: "OWNER"}, {Head: "WHY", Flex: true}}, term.Rows(out.Fields, func(o links.Owned) []term.Span {
		if o.Was != "" {
			o.Owner += ", was " + o.Was
		}
		return []term.Span{term.Textf("%s", o.Field), term.Textf("%s", o.Owner), term.Faint.Of(o.Why)}
	}))
}

func newOwnershipSet(f *frame.Factory) *cobra.Command {
	var dry bool
	return frame.Operation(f, frame.Spec{
		Use: "set PRESET|FIELD=OWNER…", Here: "ownership set", Args: frame.Between(1, 100, "a PRESET or FIELD=OWNER"),
		Example: []string{"tasker ownership set split", "tasker ownership set title=local status=tracker"},
		Long: "The presets: local (we own everything), tracker (the tracker owns what it can hold), split (the tracker owns title, body,\n" +
			"severity, due, sprint, rank and priority; we own status and the rest). Where nothing is set it is split in a project that\n" +
			"is linked to a tracker, and local in any other. A preset replaces what was set for single fields.",
		Flags:    []frame.Flag{dryRun(&dry)},
		Complete: frame.Offering(merge.Presets),
	}, op.OwnershipSet, func(a *frame.Args, args []string) links.OwnershipSetIn {
		return links.OwnershipSetIn{Slug: a.ProjectToWrite(), Changes: args, DryRun: dry}
	}, showOwnership)
}
