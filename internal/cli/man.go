package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"tasker/internal/cli/frame"
	"tasker/internal/text/words"
)

// ManPage is a manual page.
type ManPage struct {
	Name string // of the file, such as tasker-next.1
	Text string // in roff
}

// ManPages returns the manual: a page for tasker and one for each command, generated from the same declarations as
// their help. The footer of each page shows version and date.
func ManPages(version, date string) []ManPage {
	f := frame.New(frame.Process{Env: func(string) (string, bool) { return "", false }}, frame.Wiring{})
	var pages []ManPage
	for _, cmd := range levels(root(f, "")) {
		if !cmd.Hidden {
			pages = append(pages, ManPage{manName(cmd) + ".1", manText(cmd, version, date)})
		}
	}
	return pages
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func manText(cmd *cobra.Command, version, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 %s \"tasker %s\" \"tasker\"\n", roffQuoted(strings.ToUpper(manName(cmd))), roffQuoted(date), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n", roff(manName(cmd)), roff(cmd.Short), roff(usageLine(cmd)))
	if cmd.Long != "" {
		b.WriteString(".SH DESCRIPTION\n" + roffText(cmd.Long))
	}
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roffText(cmd.Example) + ".fi\n")
	}
	manRows(&b, "OPTIONS", flagRows(cmd.LocalNonPersistentFlags()))
	if !cmd.HasParent() {
		for _, t := range topics() {
			var rows [][2]string
			for _, e := range t.commands {
				sub, _, err := cmd.Find([]string{e.name})
				if err == nil && sub != cmd {
					rows = append(rows, [2]string{manName(sub) + "(1)", sub.Short})
				}
			}
			manRows(&b, "COMMANDS: "+strings.ToUpper(t.title), rows)
		}
		manRows(&b, "OPTIONS OF EVERY COMMAND", flagRows(cmd.PersistentFlags()))
		manRows(&b, "EXIT STATUS", codeRows())
	} else {
		also := []string{manName(cmd.Parent()) + "(1)"}
		for _, sub := range cmd.Commands() {
			also = append(also, manName(sub)+"(1)")
		}
		if !cmd.Parent().HasParent() {
			for _, name := range seeAlso(cmd.Name()) {
				also = append(also, manName(cmd.Parent())+"-"+name+"(1)")
			}
		}
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", roff(strings.Join(also, ", ")))
	}
	return b.String()
}

func manRows(b *strings.Builder, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", roffQuoted(title))
	for _, r := range rows {
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(r[0]), roff(r[1]))
	}
}

// roffText writes lines of text. It escapes a dot or a quote at the beginning of a line, where roff would read a
// request.
func roffText(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(words.Either(line == "", ".PP", roff(line)) + "\n")
	}
	return b.String()
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`, "…", `...`)

func roff(text string) string {
	text = roffEscapes.Replace(strings.ReplaceAll(text, "\n", " "))
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	var b strings.Builder
	for _, r := range text { // groff reads ASCII by default
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}

func roffQuoted(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
