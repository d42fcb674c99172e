package reading

import (
	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/core/reading"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task/told"
)

// NewMachine returns the command `tasker machine`.
func NewMachine(f *frame.Factory) *cobra.Command {
	return projectView(f, frame.Spec{Use: "machine", Example: []string{"tasker machine", "tasker machine --watch"}}, op.Machine, showMachine, true)
}

func showMachine(f *frame.Factory, m reading.MachineOut) {
	if len(m.Actors) == 0 {
		f.Say("Nobody holds a task in %s. Begin: %s\n", m.Project, f.AsCommand(remedy.Next(m.Project)))
		return
	}
	for _, a := range m.Actors {
		f.Out.Spans(term.Bold.Of(a.Actor), term.Textf("  %s", a.Kind))
		switch {
		case len(a.Holding) > 0:
			f.Out.Printf("\n")
		case a.IdleSince == 0:
			f.Out.Printf(", has done nothing here yet\n")
		default:
			f.Out.Printf(", idle since %s\n", render.Ago(f, a.IdleSince))
		}
		showLeases(f, a.Holding, false)
	}
}

func showLeases(f *frame.Factory, leases []reading.Lease, who bool) {
	if len(leases) == 0 {
		return
	}
	cols := []term.Column{
		{Head: "ID"}, {Head: "TITLE", Flex: true}, {Head: "HELD BY"}, {Head: "SINCE", Drop: 4}, {Head: "LEFT", Drop: 1},
		{Head: "CRITERIA", Drop: 2}, {Head: "LAST", Drop: 3},
	}
	if !who {
		cols[2].Head = ""
	}
	var rows [][]term.Span
	for _, l := range leases {
		left, last, holder := "no end", "", ""
		if l.ExpiresAt != 0 {
			left = render.Until(f, l.ExpiresAt)
		}
		if l.LastEvent != nil {
			last = told.Kind(l.LastEvent.Kind) + " " + render.Ago(f, l.LastEvent.At)
		}
		if who {
			holder = string(l.Actor)
		}
		rows = append(rows, []term.Span{
			term.Bold.Of(string(l.Task)), term.Textf("%s", l.Title), term.Textf("%s", holder), term.Faint.Of(render.Ago(f, l.Since)), term.Textf("%s", left),
			term.Textf("%d of %d", l.Progress.Checked, l.Progress.Total), term.Faint.Of(last),
		})
	}
	f.Out.Table(cols, rows)
}
