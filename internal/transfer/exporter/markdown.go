package exporter

import (
	"io"
	"slices"
	"strings"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// markdown writes a checklist that `tasker import markdown` can read: tasks with children are
// headings, the others boxes, and criteria boxes below them. It holds all tasks of a project before
// it writes.
type markdown struct {
	unframed
	w     io.Writer
	tasks []*Task
}

func (f *markdown) Task(t *Task) error {
	f.tasks = append(f.tasks, t)
	return nil
}

func (f *markdown) End() error {
	below := map[string][]*Task{}
	for _, t := range f.tasks {
		below[t.ParentKey] = append(below[t.ParentKey], t)
	}
	var out strings.Builder
	type open struct {
		t     *Task
		level int
	}
	stack := []open{}
	visit := func(key string, level int) { // boxes first: after a subheading they would belong to it
		var heads []open
		for _, t := range below[key] {
			if len(below[t.Key]) > 0 {
				heads = append(heads, open{t, level})
			} else {
				writeBox(&out, t)
			}
		}
		slices.Reverse(heads)
		stack = append(stack, heads...)
	}
	visit("", 1)
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out.WriteString("\n" + strings.Repeat("#", min(top.level, 6)) + " " + line(top.t.Title) + "\n\n")
		writeBody(&out, "", string(top.t.Body))
		visit(top.t.Key, top.level+1)
	}
	f.tasks = nil
	return write(f.w, strings.TrimLeft(out.String(), "\n"), nil)
}

func writeBox(out *strings.Builder, t *Task) {
	title := line(t.Title)
	if t.Status == task.Cancelled {
		title = "~~" + title + "~~"
	}
	out.WriteString("- " + box(t.Status.Closed()) + title + "\n")
	writeBody(out, "  ", string(t.Body))
	for _, c := range t.Criteria {
		out.WriteString("  - " + boxed(c) + "\n")
	}
}

// writeBody writes a text as a quotation, so that nothing in it reads as a heading or a box.
func writeBody(out *strings.Builder, indent, body string) {
	if strings.TrimSpace(body) == "" {
		return
	}
	for l := range strings.Lines(strings.TrimSpace(body)) {
		out.WriteString(strings.TrimRight(indent+"> "+strings.TrimRight(l, "\r\n"), " ") + "\n")
	}
	if indent == "" {
		out.WriteString("\n")
	}
}

// boxed returns a criterion as a line of a checklist.
func boxed(c task.Criterion) string { return box(c.Checked) + line(c.Text) }

func box(checked bool) string { return words.Either(checked, "[x] ", "[ ] ") }

// line joins the words of a text into one line.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }
