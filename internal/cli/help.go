package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/fault"
)

// help prints the help of a command: what it is for, examples, then the rest.
func (f *factory) help(cmd *cobra.Command) {
	f.begin()
	f.out.Printf("%s\n", cmd.Short)
	if cmd.Example != "" {
		f.out.Printf("\n")
		for line := range strings.Lines(cmd.Example) {
			f.out.Printf("  %s\n", strings.TrimRight(line, "\n"))
		}
	}
	f.out.Printf("\nUsage: %s\n", usageLine(cmd))
	if cmd.Long != "" {
		f.out.Printf("\n")
		f.out.Block("", cmd.Long)
	}
	if !cmd.HasParent() {
		for _, t := range topics() {
			var rows [][2]string
			for _, e := range t.commands {
				c := e.make(f)
				rows = append(rows, [2]string{c.Name(), c.Short})
			}
			f.helpRows(t.title, rows)
		}
	} else if cmd.HasSubCommands() {
		var rows [][2]string
		for _, c := range cmd.Commands() {
			rows = append(rows, [2]string{c.Name(), c.Short})
		}
		f.helpRows("Commands", rows)
	}
	f.helpRows("Flags", flagRows(cmd.LocalNonPersistentFlags()))
	f.helpRows("Global flags", flagRows(cmd.Root().PersistentFlags()))
	var codes [][2]string
	for _, c := range exitCodes {
		codes = append(codes, [2]string{fmt.Sprint(c.code), c.what})
	}
	f.helpRows("Exit codes", codes)
}

// usageLine is how the command is called; the global flags are not repeated in it.
func usageLine(cmd *cobra.Command) string {
	switch {
	case cmd.HasSubCommands() || !cmd.HasParent():
		return cmd.CommandPath() + " COMMAND"
	case cmd.HasAvailableLocalFlags():
		return cmd.Parent().CommandPath() + " " + cmd.Use + " [flags]"
	}
	return cmd.Parent().CommandPath() + " " + cmd.Use
}

func (f *factory) helpRows(title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	f.heading(title)
	wide := 0
	for _, r := range rows {
		wide = max(wide, columns(r[0]))
	}
	for _, r := range rows {
		lines := wrap(r[1], f.out.columns()-wide-4)
		f.out.Printf("  %s%s  %s\n", r[0], strings.Repeat(" ", wide-columns(r[0])), lines[0])
		for _, l := range lines[1:] {
			f.out.Printf("  %s  %s\n", strings.Repeat(" ", wide), l)
		}
	}
}

// flagRows lists flags with their values and words.
func flagRows(fs *pflag.FlagSet) [][2]string {
	var rows [][2]string
	fs.VisitAll(func(fl *pflag.Flag) {
		if fl.Hidden {
			return
		}
		name := "--" + fl.Name
		if fl.Shorthand != "" {
			name = "-" + fl.Shorthand + ", " + name
		}
		if t := fl.Value.Type(); t != "bool" {
			name += " " + strings.ToUpper(valueWord(t))
		}
		rows = append(rows, [2]string{name, fl.Usage})
	})
	return rows
}

func valueWord(t string) string {
	switch t {
	case "string":
		return "text"
	case "int", "int64":
		return "number"
	case "intSlice":
		return "n,…"
	}
	return t
}

func (f *factory) newHelp() *cobra.Command {
	return f.command(spec{use: "help [COMMAND]", short: "Show the help of a command", example: []string{"tasker help next"}},
		func(_ context.Context, f *factory, args []string) error {
			root := f.root("")
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return noSuchCommand(root, args)
			}
			f.help(cmd)
			return nil
		})
}

// flagFault turns what the flag parser says into a refusal with a suggestion.
func flagFault(cmd *cobra.Command, err error) error {
	usage := cmd.CommandPath() + " --help lists the flags"
	var unknown *pflag.NotExistError
	var lacking *pflag.ValueRequiredError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		e := fault.Bad("%s has no flag %s", cmd.CommandPath(), dashed(name, unknown.GetSpecifiedShortnames())).
			WithHint("%s; a text that begins with a hyphen goes after --", usage)
		if near := nearest(name, flagNames(cmd)); near != "" {
			e.WithHint("did you mean --%s?", near)
		}
		return e
	case errors.As(err, &lacking):
		return fault.Bad("--%s needs a value", lacking.GetFlag().Name).WithHint("%s", usage)
	case errors.As(err, &wrong):
		fl := wrong.GetFlag()
		var inner *fault.Error
		if errors.As(wrong.Unwrap(), &inner) {
			return fault.Bad("--%s: %s", fl.Name, inner.Message).WithHint("%s", inner.Hint)
		}
		return fault.Bad("--%s takes a %s, and was given %q", fl.Name, valueWord(fl.Value.Type()), wrong.GetValue()).WithHint("%s", usage)
	}
	return fault.Bad("%v", err).WithHint("%s", usage)
}

func dashed(name, shorts string) string {
	if shorts != "" {
		return "-" + name
	}
	return "--" + name
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	add := func(fl *pflag.Flag) { names = append(names, fl.Name) }
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return names
}
