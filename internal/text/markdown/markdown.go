// Package markdown reads the small part of Markdown that people and agents write into tasks: headings, lists, code,
// quotes, emphasis and links. It produces plain values and no HTML: callers escape them like any other text, so that
// nothing has to be sanitised. Everything else stays text, as it was written. The usual libraries were measured:
// reading with goldmark and sanitising with bluemonday adds some 2 ms to the start of every command, mostly for regular
// expressions that are compiled before main.
package markdown

import "strings"

// Kind is what a block is.
type Kind string

// The kinds.
const (
	Paragraph Kind = "p"
	Heading   Kind = "h"
	Code      Kind = "code"
	List      Kind = "list"
	Quote     Kind = "quote"
	Rule      Kind = "hr"
)

// Block is a paragraph or another element at its level.
type Block struct {
	Kind  Kind
	Level int    // of a heading, from 1
	Lines []Line // of a paragraph, a heading or a quote; the items of a list
	Code  string
}

// Line is one line, or one item of a list.
type Line struct {
	Depth int    // of an item, from 0
	Mark  string // of an item: • or its number
	Spans []Span
}

// Span is a run of text with one style.
type Span struct {
	Text   string
	Strong bool
	Em     bool
	Code   bool
	Href   string // an http or https address
	Task   string // the id of a task
}

// Bounds of what is read: beyond them, the rest stays text.
const (
	maxBlocks = 2000
	maxSpans  = 500 // of a line
	maxDepth  = 5
)

// Read reads a text. If a project is given, ids of its tasks become spans of their own.
func Read(text, project string) []Block {
	r := reader{project: project, lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for r.at < len(r.lines) {
		if len(r.out) >= maxBlocks {
			r.out = append(r.out, Block{Kind: Code, Code: strings.Join(r.lines[r.at:], "\n")})
			break
		}
		r.block()
	}
	return r.out
}

// reader reads one text, block by block.
type reader struct {
	project string
	lines   []string
	at      int
	out     []Block
}

func (r *reader) block() {
	line := r.lines[r.at]
	switch trimmed := strings.TrimSpace(line); {
	case trimmed == "":
		r.at++
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		r.fence(trimmed[:3])
	case headingLevel(line) > 0:
		level := headingLevel(line)
		words := strings.Trim(strings.TrimRight(strings.TrimLeft(line, " ")[level:], "#"), " \t")
		r.out = append(r.out, Block{Kind: Heading, Level: level, Lines: []Line{{Spans: r.spans(words)}}})
		r.at++
	case isRule(line):
		r.out = append(r.out, Block{Kind: Rule})
		r.at++
	case isItem(line):
		r.list()
	case strings.HasPrefix(trimmed, ">"):
		b := Block{Kind: Quote}
		for ; r.at < len(r.lines); r.at++ {
			said, ok := strings.CutPrefix(strings.TrimSpace(r.lines[r.at]), ">")
			if !ok {
				break
			}
			b.Lines = append(b.Lines, Line{Spans: r.spans(strings.TrimSpace(said))})
		}
		r.out = append(r.out, b)
	default:
		b := Block{Kind: Paragraph}
		for r.at < len(r.lines) && !r.ends(len(b.Lines)) {
			b.Lines = append(b.Lines, Line{Spans: r.spans(r.lines[r.at])})
			r.at++
		}
		r.out = append(r.out, b)
	}
}

// ends reports whether a paragraph of some lines ends before the next one.
func (r *reader) ends(lines int) bool {
	line := r.lines[r.at]
	trimmed := strings.TrimSpace(line)
	return trimmed == "" || lines > 0 && (strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") || strings.HasPrefix(trimmed, ">") ||
		headingLevel(line) > 0 || isItem(line))
}

// fence reads code up to its closing fence, or to the end.
func (r *reader) fence(mark string) {
	var code []string
	for r.at++; r.at < len(r.lines); r.at++ {
		if strings.HasPrefix(strings.TrimSpace(r.lines[r.at]), mark) {
			r.at++
			break
		}
		code = append(code, r.lines[r.at])
	}
	r.out = append(r.out, Block{Kind: Code, Code: strings.Join(code, "\n")})
}

// list reads items; an indented line continues the one before it.
func (r *reader) list() {
	b := Block{Kind: List}
	var indents []int // of the items that may contain the next one
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		space, sign, words := item(line)
		if sign == "" {
			if strings.TrimSpace(line) == "" || !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
				break
			}
			last := &b.Lines[len(b.Lines)-1]
			last.Spans = append(last.Spans, r.spans(" "+strings.TrimSpace(line))...)
			continue
		}
		indent := len(strings.ReplaceAll(space, "\t", "    "))
		for len(indents) > 0 && indent <= indents[len(indents)-1] {
			indents = indents[:len(indents)-1]
		}
		mark := "•"
		if isDigit(sign[0]) {
			mark = strings.TrimRight(sign, ".)") + "."
		}
		b.Lines = append(b.Lines, Line{Depth: min(len(indents), maxDepth), Mark: mark, Spans: r.spans(words)})
		indents = append(indents, indent)
	}
	r.out = append(r.out, b)
}
