package envtext

import (
	"strings"
)

// Parse reads a text in the dotenv grammar. In short:
//
//	# a comment
//	NAME=value            # another: a space goes before it
//	export NAME="a\nb"    escapes: \n \r \t \\ \" \$ \` and a line that ends with \
//	NAME='as it is'       also over several lines; `as it is` likewise
//	NAME=${OTHER}         also ${OTHER:-default} and ${OTHER-default}; not in '…' or `…`; \${ is text
//
// Parse adds the variables to values. A variable in braces is one of values, which are those of
// earlier texts and lines, else what lookup returns. If neither has it, Parse refuses the text: an
// address with a hole in it would be found too late. Parse runs nothing: $(…) is text.
//
// hashicorp/go-envparse supports less: no multi-line values, no ${…}, no backquotes, and it cuts
// a#b at the #.
func Parse(text string, values map[string]string, lookup func(name string) (string, bool)) error {
	text = strings.TrimPrefix(text, "\ufeff")
	p := parser{text: strings.ReplaceAll(text, "\r\n", "\n"), line: 1, seen: values, lookup: lookup}
	for p.toStatement() {
		if err := p.statement(); err != nil {
			return err
		}
	}
	return nil
}

type parser struct {
	text   string // the rest to parse
	line   int    // number of its first line
	seen   map[string]string
	lookup func(string) (string, bool)
}

// take removes the first n bytes of the rest.
func (p *parser) take(n int) string {
	taken := p.text[:n]
	p.line += strings.Count(taken, "\n")
	p.text = p.text[n:]
	return taken
}

func (p *parser) blanks() { p.take(len(p.text) - len(strings.TrimLeft(p.text, " \t"))) }

// restOfLine removes the rest of the line, but not its end.
func (p *parser) restOfLine() string {
	line, _, _ := strings.Cut(p.text, "\n")
	return p.take(len(line))
}

// toStatement skips empty lines and comments, and reports whether a statement follows.
func (p *parser) toStatement() bool {
	for {
		p.take(len(p.text) - len(strings.TrimLeft(p.text, " \t\r\n\f\v")))
		if !strings.HasPrefix(p.text, "#") {
			return p.text != ""
		}
		p.restOfLine()
	}
}

func (p *parser) name() string {
	return p.take(nameLength(p.text))
}

// statement reads one variable.
func (p *parser) statement() (err error) {
	line, name := p.line, p.name()
	p.blanks()
	if name == "export" && !strings.HasPrefix(p.text, "=") {
		name = p.name()
		p.blanks()
	}
	if name == "" || !strings.HasPrefix(p.text, "=") {
		return malformed(line, "is not NAME=VALUE").
			WithHint("a name has letters, digits and _; a value of several lines must be in quotes")
	}
	p.take(1)
	p.seen[name], err = p.value()
	return err
}

func (p *parser) value() (value string, err error) {
	line, before := p.line, len(p.text)
	p.blanks()
	switch first := strings.IndexAny(p.text, "\"'`"); {
	case first != 0 && len(p.text) < before && strings.HasPrefix(p.text, "#"):
		p.restOfLine()
		return "", nil
	case first != 0:
		return p.bare()
	case p.text[0] == '"':
		value, err = p.double()
	default:
		end := strings.IndexByte(p.text[1:], p.text[0])
		if end < 0 {
			return "", unclosed(line)
		}
		value = p.take(end + 2)[1:]
		value = value[:len(value)-1]
	}
	if err != nil {
		return "", err
	}
	line = p.line
	rest := strings.TrimLeft(p.restOfLine(), " \t\r")
	if rest != "" && rest[0] != '#' {
		return "", malformed(line, "goes on after a closing quote").WithHint("escape the quote with a backslash, or use another kind of quote")
	}
	return value, nil
}

func unclosed(line int) error {
	return malformed(line, "opens a quote that is never closed").WithHint("close it, or put the whole value into another kind of quote")
}

// bare reads an unquoted value: up to the end of the line or a comment, with surrounding blanks
// removed.
func (p *parser) bare() (string, error) {
	line, text := p.line, p.restOfLine()
	for i := 1; i < len(text); i++ {
		if text[i] == '#' && (text[i-1] == ' ' || text[i-1] == '\t') {
			text = text[:i]
		}
	}
	text = strings.TrimRight(text, " \t\r")
	var b strings.Builder
	for text != "" {
		switch {
		case strings.HasPrefix(text, `\${`):
			b.WriteString("${")
			text = text[3:]
		case strings.HasPrefix(text, "${"):
			n, err := p.expand(&b, text, line)
			if err != nil {
				return "", err
			}
			text = text[n:]
		default:
			b.WriteByte(text[0])
			text = text[1:]
		}
	}
	return b.String(), nil
}

// escapes maps the characters after a backslash in double quotes; any other keeps its backslash.
var escapes = map[byte]string{'n': "\n", 'r': "\r", 't': "\t", '\\': `\`, '"': `"`, '$': "$", '`': "`", '\n': ""}

func (p *parser) double() (string, error) {
	line := p.line
	p.take(1)
	var b strings.Builder
	for p.text != "" {
		switch c := p.text[0]; {
		case c == '"':
			p.take(1)
			return b.String(), nil
		case c == '\\' && len(p.text) > 1:
			if s, known := escapes[p.text[1]]; known {
				b.WriteString(s)
			} else {
				b.WriteString(p.text[:2])
			}
			p.take(2)
		case strings.HasPrefix(p.text, "${"):
			n, err := p.expand(&b, p.text, p.line)
			if err != nil {
				return "", err
			}
			p.take(n)
		default:
			b.WriteString(p.take(1))
		}
	}
	return "", unclosed(line)
}

// expand writes the value of the ${…} at the beginning of a text, and returns its length.
func (p *parser) expand(b *strings.Builder, text string, line int) (int, error) {
	end := strings.IndexByte(text, '}')
	inside := ""
	if end > 0 {
		inside = text[2:end]
	}
	n := nameLength(inside)
	name, rest := inside[:n], inside[n:]
	other, otherwise := strings.CutPrefix(rest, "-")
	emptyToo := false
	if !otherwise {
		other, otherwise = strings.CutPrefix(rest, ":-")
		emptyToo = otherwise
	}
	if name == "" || rest != "" && !otherwise || strings.Contains(other, "${") {
		return 0, malformed(line, "has a ${ that is not understood").
			WithHint("write ${NAME}, ${NAME-default} or ${NAME:-default}; for literal text, use single quotes or write \\${")
	}
	value, ok := p.seen[name]
	if !ok && p.lookup != nil {
		value, ok = p.lookup(name)
	}
	switch {
	case ok && (value != "" || !emptyToo):
		b.WriteString(value)
	case otherwise:
		b.WriteString(other)
	default:
		return 0, malformed(line, "refers to a variable that is not set").
			WithHint("set it in an earlier line; if it may be empty, write ${NAME:-}; for literal text, use single quotes")
	}
	return end + 1, nil
}
