package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/render"
	"tasker/internal/cli/term"
	"tasker/internal/text/words"
)

// help prints the help of a command: its purpose, examples, then the rest. It does not repeat what all commands share,
// because agents read help too and pay for every line.
func help(f *frame.Factory, cmd *cobra.Command) {
	f.Begin()
	_ = frame.Paged(f, func() error { // printing reports no error
		printHelp(f, cmd)
		return nil
	})
}

func printHelp(f *frame.Factory, cmd *cobra.Command) {
	f.Out.Block("", cmd.Short)
	if cmd.Example != "" {
		f.Out.Printf("\n")
		for line := range strings.Lines(cmd.Example) {
			helpExample(f, strings.TrimRight(line, "\n"))
		}
	}
	usage := term.Wrap("Usage: "+usageLine(cmd), f.Out.Width-4)
	f.Out.Printf("\n%s\n", usage[0])
	for _, l := range usage[1:] {
		f.Out.Printf("    %s\n", l)
	}
	if len(cmd.Aliases) > 0 {
		f.Out.Printf("Also: tasker %s\n", words.List(cmd.Aliases))
	}
	if cmd.Long != "" {
		f.Out.Printf("\n")
		f.Out.Block("", flowing(f, cmd.Long))
	}
	if !cmd.HasParent() {
		helpDay(f)
		return
	}
	if cmd.HasSubCommands() {
		var rows [][2]string
		for _, c := range cmd.Commands() {
			rows = append(rows, [2]string{c.Name(), c.Short})
		}
		helpRows(f, "Commands", rows)
	}
	helpRows(f, "Flags", flagRows(cmd.LocalNonPersistentFlags()))
	f.Out.Printf("\n")
	if also := seeAlso(cmd.Name()); len(also) > 0 && !cmd.Parent().HasParent() {
		f.Out.Block("", "See also: tasker "+strings.Join(also, ", tasker "))
	}
	f.Out.Printf("Of every command: tasker help flags, tasker help exit-codes\n")
}

// helpExample prints an example. If it is wider than the terminal, its remark goes on the line above, and the command
// is broken so that it can still be pasted.
func helpExample(f *frame.Factory, line string) {
	width := f.Out.Width
	if width == 0 || term.Columns(line)+2 <= width {
		f.Out.Printf("  %s\n", line)
		return
	}
	command, remark, _ := strings.Cut(line, " # ")
	if remark != "" {
		for _, l := range term.Wrap(remark, width-4) {
			f.Out.Printf("  # %s\n", l)
		}
	}
	lines := term.Wrap(strings.TrimRight(command, " "), width-8) // leave room for the indent and the continuation mark
	for i, l := range lines {
		f.Out.Printf("%s%s%s\n", words.Either(i > 0, "      ", "  "), l, words.When(i < len(lines)-1, " \\"))
	}
}

// full is the least length of a line of our texts that was broken because it was full; a shorter line ends its
// paragraph.
const full = 90

// flowing joins the lines of each paragraph, so that the terminal's width decides where to break them.
func flowing(f *frame.Factory, text string) string {
	if f.Out.Width == 0 {
		return text
	}
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		b.WriteString(line)
		switch {
		case i == len(lines)-1:
		case len(line) < full || strings.HasPrefix(lines[i+1], " "):
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// helpFlags prints the global flags.
func helpFlags(f *frame.Factory, cmd *cobra.Command) {
	helpRows(f, "Global flags", flagRows(cmd.Root().PersistentFlags()))
}

// helpCodes prints what the exit codes mean.
func helpCodes(f *frame.Factory) {
	helpRows(f, "Exit codes", codeRows())
}

// codeRows returns the exit codes and their meanings.
func codeRows() (rows [][2]string) {
	for _, c := range frame.ExitCodes {
		rows = append(rows, [2]string{fmt.Sprint(c.Code), c.What})
	}
	return rows
}

// usageLine returns the usage of the command, without the global flags.
func usageLine(cmd *cobra.Command) string {
	if cmd.HasSubCommands() || !cmd.HasParent() {
		return cmd.CommandPath() + " COMMAND"
	}
	return cmd.Parent().CommandPath() + " " + cmd.Use + words.When(cmd.HasAvailableLocalFlags(), " [flags]")
}

// widestName is the longest name that still has its text next to it in the column.
const widestName = 20

func helpRows(f *frame.Factory, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	render.Heading(f, title)
	wide := 0
	for _, r := range rows {
		if n := term.Columns(r[0]); n <= widestName { // a few long names do not push all texts to the right
			wide = max(wide, n)
		}
	}
	for _, r := range rows {
		lines := term.Wrap(r[1], f.Out.Width-wide-4)
		if n := term.Columns(r[0]); f.Out.Width > 0 && n > wide && n+4+term.Columns(lines[0]) > f.Out.Width {
			f.Out.Printf("  %s\n", r[0])
		} else {
			f.Out.Printf("  %s%s  %s\n", r[0], strings.Repeat(" ", max(0, wide-n)), lines[0])
			lines = lines[1:]
		}
		for _, l := range lines {
			f.Out.Printf("  %s  %s\n", strings.Repeat(" ", wide), l)
		}
	}
}

// flagRows returns flags with their values and descriptions.
func flagRows(fs *pflag.FlagSet) [][2]string {
	var rows [][2]string
	fs.VisitAll(func(fl *pflag.Flag) {
		if fl.Hidden {
			return
		}
		name := words.When(fl.Shorthand != "", "-"+fl.Shorthand+", ") + "--" + fl.Name
		if t := fl.Value.Type(); t != "bool" {
			name += " " + strings.ToUpper(valueWord(t))
		}
		usage, again := strings.CutSuffix(fl.Usage, " (can be given again)")
		rows = append(rows, [2]string{name + words.When(again, "…"), usage})
	})
	return rows
}

// valueWords maps the names of flag types to the words that help uses for their values.
var valueWords = map[string]string{
	"string": "text", "stringArray": "text", "int": "number", "int64": "number", "intSlice": "n,…", "stringSlice": "name,…", "stringToString": "name=value",
}

func valueWord(t string) string { return cmp.Or(valueWords[t], t) }

func newHelp(f *frame.Factory) *cobra.Command {
	return f.Command(frame.Spec{
		Use: "help [COMMAND]", Short: "Show the help of a command, all commands, the flags of every command, or the exit codes",
		Example: []string{"tasker help next", "tasker help all", "tasker help flags", "tasker help exit-codes"},
		Long:    "After a flag, … means that it can be given again.",
	}, runHelp)
}

func runHelp(_ context.Context, f *frame.Factory, args []string) error {
	root := root(f, "")
	if len(args) == 1 {
		topic := map[string]func(){
			"all": func() { helpAll(f, root) }, "flags": func() { helpFlags(f, root) }, "exit-codes": func() { helpCodes(f) },
		}[args[0]]
		if topic != nil {
			f.Begin()
			return frame.Paged(f, func() error {
				topic()
				return nil
			})
		}
	}
	cmd, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		return frame.NoSuchCommand(root, args)
	}
	help(f, cmd)
	return nil
}
