package render

import (
	"strings"

	"tasker/internal/cli/frame"
	"tasker/internal/cli/term"
	"tasker/internal/text/markdown"
	"tasker/internal/text/words"
)

// Text prints a text that people and agents wrote, with each line indented so that it cannot be mistaken for ours. A
// terminal shows its Markdown formatted; elsewhere it is printed as written. Without colours, the marks of headings,
// emphasis and code stay, since nothing else would show them.
func Text(f *frame.Factory, indent, text string) {
	if !f.Process.OutTTY {
		f.Out.Block(indent, text)
		return
	}
	for i, b := range markdown.Read(strings.ReplaceAll(text, "\t", "    "), "") {
		if i > 0 {
			f.Out.Printf("\n")
		}
		block(f, indent, b)
	}
}

func block(f *frame.Factory, indent string, b markdown.Block) {
	if b.Kind == markdown.Rule {
		f.Out.Printf("%s\n", indent+strings.Repeat("─", 8))
	}
	if b.Kind == markdown.Code {
		for line := range strings.SplitSeq(b.Code, "\n") {
			f.Out.Line(term.Plain.Of(indent+"  "), term.Cyan.Of(strings.TrimRight(line, " \r")))
		}
	}
	for _, line := range b.Lines {
		first, rest, all := indent, indent, spans(f, line.Spans)
		switch b.Kind {
		case markdown.Heading:
			for i := range all {
				all[i].Style = term.Bold
			}
			first += words.When(!f.Out.Color, strings.Repeat("#", b.Level)+" ")
		case markdown.List:
			rest += strings.Repeat("  ", line.Depth)
			first, rest = rest+line.Mark+" ", rest+strings.Repeat(" ", term.Columns(line.Mark)+1)
		case markdown.Quote:
			first, rest = indent+"│ ", indent+"│ "
		default:
			if len(line.Spans) > 0 {
				text := line.Spans[0].Text
				first += text[:len(text)-len(strings.TrimLeft(text, " "))]
				rest = first
			}
		}
		f.Out.Flow(first, rest, all...)
	}
}

// spans returns a parsed line in the styles of the terminal, or with its marks if there are no colours.
func spans(f *frame.Factory, all []markdown.Span) []term.Span {
	var out []term.Span
	for _, s := range all {
		style, mark := term.Plain, ""
		switch {
		case s.Code:
			style, mark = term.Cyan, "`"
		case s.Strong:
			style, mark = term.Bold, "**"
		case s.Em:
			style, mark = term.Italic, "*"
		}
		if f.Out.Color {
			mark = ""
		}
		out = append(out, style.Of(mark+s.Text+mark))
		if s.Href != "" && s.Href != s.Text {
			out = append(out, term.Faint.Of(" ("+s.Href+")"))
		}
	}
	return out
}
