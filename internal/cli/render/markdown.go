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
	switch b.Kind {
	case markdown.Heading:
		for _, line := range b.Lines {
			spans := spans(f, line.Spans)
			for i := range spans {
				spans[i].Style = term.Bold
			}
			f.Out.Flow(indent+words.When(!f.Out.Colored(), strings.Repeat("#", b.Level)+" "), indent, spans...)
		}
	case markdown.Code:
		for line := range strings.SplitSeq(b.Code, "\n") {
			f.Out.Line(term.Plain.Of(indent+"  "), term.Cyan.Of(strings.TrimRight(line, " \r")))
		}
	case markdown.Rule:
		f.Out.Printf("%s\n", indent+strings.Repeat("─", 8))
	case markdown.List:
		for _, line := range b.Lines {
			deep := indent + strings.Repeat("  ", line.Depth)
			f.Out.Flow(deep+line.Mark+" ", deep+strings.Repeat(" ", term.Columns(line.Mark)+1), spans(f, line.Spans)...)
		}
	case markdown.Quote:
		for _, line := range b.Lines {
			f.Out.Flow(indent+"│ ", indent+"│ ", spans(f, line.Spans)...)
		}
	default:
		for _, line := range b.Lines {
			lead := indent
			if len(line.Spans) > 0 {
				text := line.Spans[0].Text
				lead += text[:len(text)-len(strings.TrimLeft(text, " "))]
			}
			f.Out.Flow(lead, lead, spans(f, line.Spans)...)
		}
	}
}

// spans returns a parsed line in the styles of the terminal, or with its marks if there are no colours.
func spans(f *frame.Factory, all []markdown.Span) []term.Span {
	var out []term.Span
	for _, s := range all {
		switch {
		case s.Code && f.Out.Colored():
			out = append(out, term.Cyan.Of(s.Text))
		case s.Code:
			out = append(out, term.Plain.Of("`"+s.Text+"`"))
		case s.Strong && f.Out.Colored():
			out = append(out, term.Bold.Of(s.Text))
		case s.Strong:
			out = append(out, term.Plain.Of("**"+s.Text+"**"))
		case s.Em && f.Out.Colored():
			out = append(out, term.Italic.Of(s.Text))
		case s.Em:
			out = append(out, term.Plain.Of("*"+s.Text+"*"))
		default:
			out = append(out, term.Plain.Of(s.Text))
		}
		if s.Href != "" && s.Href != s.Text {
			out = append(out, term.Faint.Of(" ("+s.Href+")"))
		}
	}
	return out
}
