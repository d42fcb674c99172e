package exporter

import (
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

// planYAML writes plans as YAML, a task at a time. Several projects are several documents.
type planYAML struct {
	w      io.Writer
	status bool
	begun  bool
}

func (f *planYAML) Project(p *task.Project) error {
	text, err := json.Marshal(head(p), json.Deterministic(true), json.OmitZeroStructFields(true))
	if err != nil {
		return err
	}
	out, err := toYAML(text, "", "")
	if err != nil {
		return err
	}
	if f.begun {
		out = "---\n" + out
	}
	f.begun = true
	_, err = io.WriteString(f.w, out+"tasks:\n")
	return err
}

func (f *planYAML) Task(t *Task) error {
	text, err := json.Marshal(definition(t, f.status))
	if err != nil {
		return err
	}
	out, err := toYAML(text, "  - ", "    ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(f.w, out)
	return err
}

func (f *planYAML) End() error { return nil }

// YAML returns a JSON object of what a plan holds as YAML.
func YAML(src []byte) (string, error) { return toYAML(src, "", "") }

// toYAML returns a JSON object as YAML in block style, its first line after one indent and the others after another.
func toYAML(src jsontext.Value, first, rest string) (string, error) {
	y := &yamlWriter{dec: jsontext.NewDecoder(strings.NewReader(string(src)))}
	if _, err := y.dec.ReadToken(); err != nil {
		return "", err
	}
	err := y.members(first, rest)
	return y.out.String(), err
}

// yamlWriter writes what a plan holds: objects of texts, numbers, lists, and objects of those.
type yamlWriter struct {
	dec *jsontext.Decoder
	out strings.Builder
}

// members writes the members of the object that was opened. Plans are three objects deep at most.
func (y *yamlWriter) members(first, rest string) error {
	for y.dec.PeekKind() != '}' {
		name, err := y.dec.ReadToken()
		if err != nil {
			return err
		}
		y.out.WriteString(first + scalar(name.String(), "") + ":")
		first = rest
		if err := y.value(rest); err != nil {
			return err
		}
	}
	_, err := y.dec.ReadToken()
	return err
}

func (y *yamlWriter) value(indent string) error {
	tok, err := y.dec.ReadToken()
	if err != nil {
		return err
	}
	switch tok.Kind() {
	case '"':
		y.out.WriteString(" " + scalar(tok.String(), indent+"  ") + "\n")
	case '{':
		if y.dec.PeekKind() == '}' {
			y.out.WriteString(" {}\n")
			_, err := y.dec.ReadToken()
			return err
		}
		y.out.WriteString("\n")
		return y.members(indent+"  ", indent+"  ")
	case '[':
		return y.list(indent)
	default:
		y.out.WriteString(" " + tok.String() + "\n")
	}
	return nil
}

func (y *yamlWriter) list(indent string) error {
	if y.dec.PeekKind() == ']' {
		y.out.WriteString(" []\n")
		_, err := y.dec.ReadToken()
		return err
	}
	y.out.WriteString("\n")
	for y.dec.PeekKind() != ']' {
		tok, err := y.dec.ReadToken()
		if err != nil {
			return err
		}
		if tok.Kind() == '{' {
			if err := y.members(indent+"  - ", indent+"    "); err != nil {
				return err
			}
			continue
		}
		y.out.WriteString(indent + "  - " + scalar(tok.String(), indent+"    ") + "\n")
	}
	_, err := y.dec.ReadToken()
	return err
}

// scalar returns a text as YAML: lines below one another where that says the same, else in double quotes; bare where it can
// be nothing else.
func scalar(s, indent string) string {
	if bare(s) {
		return s
	}
	if indent != "" && strings.Contains(s, "\n") && block(s) {
		mark := "|-"
		if strings.HasSuffix(s, "\n") {
			mark = "|"
		}
		return mark + "\n" + indent + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+indent)
	}
	return quoted(s)
}

// bare reports whether a text is a plain word that YAML reads as a text.
func bare(s string) bool {
	if s == "" || len(s) > 60 || !unicode.IsLetter(rune(s[0])) {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf":
		return false
	}
	for _, r := range s {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' {
			return false
		}
	}
	return true
}

// block reports whether lines can stand below one another as they are.
func block(s string) bool {
	if strings.HasSuffix(s, "\n\n") || s == "\n" {
		return false
	}
	for i, line := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		if line != strings.TrimRight(line, " \t") || i == 0 && (line == "" || line[0] == ' ' || line[0] == '\t') || strings.HasPrefix(line, "\t") {
			return false
		}
		for _, r := range line {
			if !unicode.IsPrint(r) || r == '\ufeff' {
				return false
			}
		}
	}
	return true
}

// quoted returns a text in double quotes, with everything escaped that is not plainly visible.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r) && r != '\ufeff':
			b.WriteRune(r)
		case r < 0x10000:
			b.WriteString(`\u` + hex(r, 4))
		default:
			b.WriteString(`\U` + hex(r, 8))
		}
	}
	return b.String() + `"`
}

func hex(r rune, digits int) string {
	s := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", digits-len(s)) + s
}
