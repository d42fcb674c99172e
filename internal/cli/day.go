package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// day lists the commands of everyday work in the order of a day. The help of tasker shows them, and names the others.
var day = []string{"init", "add", "edit", "list", "next", "show", "ask", "prove", "done", "inbox", "approve", "undo"}

// step is a view of how things stand.
type step struct {
	name   string
	closer []string // the views that look closer at one part of it
}

// ladder lists the four views of how things stand, each wider than the one before.
var ladder = []step{
	{"status", []string{"inbox", "ready", "whoami"}},
	{"board", []string{"list", "graph", "subtree"}},
	{"work", []string{"ready", "machine", "bottlenecks"}},
	{"overview", []string{"brief", "estate", "forecast", "proof"}},
}

// seeAlso returns the views next to a command: for a step of the ladder the other steps and what looks closer, for any
// other view the steps that it belongs to.
func seeAlso(name string) []string {
	at := slices.IndexFunc(ladder, func(s step) bool { return s.name == name })
	var also []string
	for i, s := range ladder {
		if at >= 0 && i != at || at < 0 && slices.Contains(s.closer, name) {
			also = append(also, s.name)
		}
	}
	if at >= 0 {
		also = append(also, ladder[at].closer...)
	}
	return also
}

// helpDay prints the commands of a day, how to see how things stand, and the names of the other commands by group.
func helpDay(f *frame.Factory) {
	shorts := map[string]string{}
	all := topics()
	for _, t := range all {
		for _, e := range t.commands {
			shorts[e.name] = e.create(f).Short
		}
	}
	var rows [][2]string
	for _, name := range day {
		rows = append(rows, [2]string{name, shorts[name]})
	}
	helpRows(f, "In the order of a day", rows)
	rows = nil
	for _, s := range ladder {
		rows = append(rows, [2]string{strings.TrimSpace("tasker " + strings.TrimPrefix(s.name, "status")), shorts[s.name]})
	}
	helpRows(f, "How things stand, each wider than the one before", rows)
	var groups [][2]string
	for _, t := range all {
		var names []string
		for _, e := range t.commands {
			if !slices.Contains(day, e.name) && !slices.ContainsFunc(ladder, func(s step) bool { return s.name == e.name }) {
				names = append(names, e.name)
			}
		}
		groups = append(groups, [2]string{t.title, strings.Join(names, ", ")})
	}
	helpRows(f, "The others", groups)
	f.Out.Printf("\n")
	f.Out.Block("", "All of them: tasker help all. One: tasker help COMMAND. Flags and exit codes: tasker help flags, tasker help exit-codes")
}

// helpAll prints every command by group, the flags of all commands and the exit codes.
func helpAll(f *frame.Factory, root *cobra.Command) {
	for _, t := range topics() {
		var rows [][2]string
		for _, e := range t.commands {
			rows = append(rows, [2]string{e.name, e.create(f).Short})
		}
		helpRows(f, t.title, rows)
	}
	helpRows(f, "Flags", flagRows(root.LocalNonPersistentFlags()))
	helpFlags(f, root)
	helpCodes(f)
}
