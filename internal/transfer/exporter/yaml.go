package exporter

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"

	"tasker/internal/strict"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// planYAML writes plans as YAML, one task at a time. Several projects are several documents.
type planYAML struct {
	unframed
	w      io.Writer
	status bool
	begun  bool
}

func (f *planYAML) Project(p *task.Project) error {
	out, err := toYAML(head(p), "", "", json.Deterministic(true), json.OmitZeroStructFields(true))
	if f.begun {
		out = "---\n" + out
	}
	f.begun = true
	return write(f.w, out+"tasks:\n", err)
}

func (f *planYAML) Task(t *Task) error {
	out, err := toYAML(definition(t, f.status), "  - ", "    ")
	return write(f.w, out, err)
}

// YAML encodes part of a plan as YAML. The library that reads plans does not write them: its
// encoder does not escape control characters, and loses leading blanks of multi-line texts.
func YAML(v any) (string, error) { return toYAML(v, "", "") }

// toYAML returns an object as YAML in block style, with separate indents for its first line and the
// rest.
func toYAML(v any, first, rest string, options ...json.Options) (string, error) {
	src, err := json.Marshal(v, options...)
	if err != nil {
		return "", err
	}
	object, _, _ := strict.ReadNode(&strict.Source{Text: src}, "", strict.Anything{}) // JSON that was just encoded is valid
	var out strings.Builder
	writeMembers(&out, object, first, rest)
	return out.String(), nil
}

// writeMembers writes the members of an object. Plans nest at most three objects.
func writeMembers(out *strings.Builder, object *strict.Node, first, rest string) {
	for _, m := range object.Members {
		out.WriteString(first + scalar(m.Name, "") + ":")
		writeValue(out, m.Node, rest)
		first = rest
	}
}

func writeValue(out *strings.Builder, n *strict.Node, indent string) {
	switch {
	case n.Kind == '"':
		out.WriteString(" " + scalar(n.Text, indent+"  ") + "\n")
	case len(n.Members) > 0:
		out.WriteString("\n")
		writeMembers(out, n, indent+"  ", indent+"  ")
	case len(n.Items) > 0:
		out.WriteString("\n")
		for _, item := range n.Items {
			if item.Kind == '{' {
				writeMembers(out, item, indent+"  - ", indent+"    ")
			} else {
				out.WriteString(indent + "  - " + scalar(item.Text, indent+"    ") + "\n")
			}
		}
	default:
		out.WriteString(" " + string(n.Value()) + "\n")
	}
}

// scalar returns a text as YAML: as a block of lines if that keeps it intact, bare if it can be
// nothing else, else in double quotes.
func scalar(s, indent string) string {
	if bare(s) {
		return s
	}
	if indent != "" && strings.Contains(s, "\n") && block(s) {
		return words.Either(strings.HasSuffix(s, "\n"), "|", "|-") + "\n" + indent + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+indent)
	}
	return quoted(s)
}

// meaningful lists the words that YAML does not read as strings.
var meaningful = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"}

// bare reports whether YAML reads an unquoted text as a plain string.
func bare(s string) bool {
	if s == "" || len(s) > 60 || !unicode.IsLetter(rune(s[0])) {
		return false
	}
	return !slices.Contains(meaningful, strings.ToLower(s)) && !strings.ContainsFunc(s, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
}

// block reports whether a text can be written as a block of lines.
func block(s string) bool {
	if strings.HasSuffix(s, "\n\n") || s == "\n" {
		return false
	}
	for i, line := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		if line != strings.TrimRight(line, " \t") || i == 0 && (line == "" || line[0] == ' ') || strings.ContainsFunc(line, unseen) {
			return false
		}
	}
	return true
}

// unseen reports whether a character is invisible or ambiguous in print.
func unseen(r rune) bool { return !unicode.IsPrint(r) || r == '\ufeff' }

// escapes lists the characters that have a short escape in double quotes.
var escapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\t': `\t`, '\r': `\r`}

// quoted returns a text in double quotes, with every character escaped that is not plainly visible.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case escapes[r] != "":
			b.WriteString(escapes[r])
		case !unseen(r):
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String() + `"`
}
