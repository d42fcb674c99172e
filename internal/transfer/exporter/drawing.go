package exporter

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"tasker/internal/task"
)

// dot writes a graph for Graphviz: a solid arrow from a task to each one that waits for it, a
// dashed arrow from a parent to its child.
type dot struct{ w io.Writer }

func (f *dot) Project(p *task.Project) error {
	return write(f.w, "digraph "+dotText(p.Slug)+" {\n  rankdir=LR;\n  node [shape=box];\n", nil)
}

var dotColors = map[task.Status]string{task.Done: "gray70", task.Cancelled: "gray70", task.InProgress: "lightblue", task.InReview: "khaki", task.Open: "white"}

func (f *dot) Task(t *Task) error {
	node := fmt.Sprintf("  %s [label=%s, style=filled, fillcolor=%s];\n", dotText(t.Key), dotText(string(t.ID)+": "+t.Title), dotColors[t.Status])
	return write(f.w, node+arrows(t, dotText, "  %s -> %s;\n", "  %s -> %s [style=dashed, arrowhead=none];\n"), nil)
}

// arrows draws what a task waits for, and its parent, in a format for each.
func arrows(t *Task, name func(key string) string, dep, parent string) string {
	var out strings.Builder
	for _, key := range t.DepKeys {
		fmt.Fprintf(&out, dep, name(key), name(t.Key))
	}
	if t.ParentKey != "" {
		fmt.Fprintf(&out, parent, name(t.ParentKey), name(t.Key))
	}
	return out.String()
}

func (f *dot) End() error { return write(f.w, "}\n", nil) }

// dotText returns a quoted text: inside quotes only these two characters and line breaks have a
// meaning.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ").Replace(visible(s)) + `"`
}

// mermaid writes a flowchart with the same arrows.
type mermaid struct {
	unframed
	w     io.Writer
	begun bool
}

func (f *mermaid) Project(*task.Project) error {
	if f.begun {
		return nil
	}
	f.begun = true
	return write(f.w, "flowchart LR\n", nil)
}

func (f *mermaid) Task(t *Task) error {
	box := fmt.Sprintf("  %s[\"%s\"]\n", node(t.Key), mermaidText(string(t.ID)+": "+t.Title))
	return write(f.w, box+arrows(t, node, "  %s --> %s\n", "  %s -.- %s\n"), nil)
}

// node returns a unique name for a key, made only of letters and digits.
func node(key string) string {
	var b strings.Builder
	b.WriteString("t_")
	for _, r := range key {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "_%x_", r)
		}
	}
	return b.String()
}

// mermaidText replaces every character that Mermaid could take for syntax with its character code.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range visible(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,:-_/", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// visible removes invisible characters from a text.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}
