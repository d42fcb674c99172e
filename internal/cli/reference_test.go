package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
)

// reference returns the page of all commands, generated from the same declarations as their help.
func reference() string {
	f := frame.New(frame.Process{Env: func(string) (string, bool) { return "", false }}, frame.Wiring{})
	root := root(f, "")
	var b strings.Builder
	b.WriteString("<!-- Generated from the commands themselves: go test ./internal/cli -update -->\n# Commands\n\n")
	fmt.Fprintf(&b, "%s.\n", root.Short)
	rows(&b, "Flags of every command", "flag", flagRows(root.PersistentFlags()))
	var codes [][2]string
	for _, c := range frame.ExitCodes {
		codes = append(codes, [2]string{fmt.Sprint(c.Code), c.What})
	}
	rows(&b, "Exit codes", "code", codes)
	b.WriteString("\nWith `--json` a command prints exactly what the route of the same operation answers: one JSON document and a line\n" +
		"break. Several ids make it an array. An error is the same object on standard error, and standard output stays empty.\n")
	byName := map[string]*cobra.Command{}
	for _, c := range root.Commands() {
		byName[c.Name()] = c
	}
	for _, t := range topics() {
		fmt.Fprintf(&b, "\n## %s\n", t.title)
		for _, e := range t.commands {
			describe(&b, byName[e.name])
		}
	}
	return b.String()
}

func describe(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n### %s\n\n%s.\n\n```\n%s\n```\n", cmd.CommandPath(), cmd.Short, cmd.Example)
	fmt.Fprintf(b, "\nUsage: `%s`\n", usageLine(cmd))
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(b, "\nAlso: `tasker %s`\n", strings.Join(cmd.Aliases, "`, `tasker "))
	}
	if cmd.Long != "" {
		fmt.Fprintf(b, "\n%s\n", cmd.Long)
	}
	if also := seeAlso(cmd.Name()); len(also) > 0 && !cmd.Parent().HasParent() {
		fmt.Fprintf(b, "\nSee also: `tasker %s`\n", strings.Join(also, "`, `tasker "))
	}
	rows(b, "", "flag", flagRows(cmd.LocalNonPersistentFlags()))
	for _, c := range cmd.Commands() {
		describe(b, c)
	}
}

// rows writes a table of two columns.
func rows(b *strings.Builder, title, head string, all [][2]string) {
	if len(all) == 0 {
		return
	}
	if title != "" {
		fmt.Fprintf(b, "\n## %s\n", title)
	}
	fmt.Fprintf(b, "\n| %s | |\n|---|---|\n", head)
	for _, r := range all {
		fmt.Fprintf(b, "| `%s` | %s |\n", r[0], strings.ReplaceAll(r[1], "|", "\\|"))
	}
}
