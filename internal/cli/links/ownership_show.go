package links

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/core/linking"
	"tasker/internal/op"
)

func newOwnershipShow(f *frame.Factory) *cobra.Command {
	return linked(f, frame.Spec{
		Use:     "show",
		Example: []string{"tasker ownership show", "tasker ownership show --json"},
	}, op.Ownership, showOwnership)
}

func showOwnership(f *frame.Factory, out linking.OwnershipOut) {
	preset := "preset"
	if out.DryRun {
		preset = "the preset would be"
	}
	f.Out.Printf("%s: %s %s\n", out.Project, preset, out.Preset)
	var rows [][]term.Span
	for _, o := range out.Fields {
		if o.Was != "" {
			o.Owner += ", was " + o.Was
		}
		rows = append(rows, []term.Span{term.Textf("%s", o.Field), term.Textf("%s", o.Owner), term.Faint.Of(o.Why)})
	}
	f.Out.Table([]term.Column{{Head: "FIELD"}, {Head: "OWNER"}, {Head: "WHY", Flex: true}}, rows)
}
