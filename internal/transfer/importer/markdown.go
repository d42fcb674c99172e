package importer

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

var (
	heading = words.Pattern(`^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$`)
	leading = words.Pattern(`^[ \t]*`)
)

// outline is the state of reading a checklist.
type outline struct {
	b        *Batch
	headings []head                   // the open ones, outermost first
	task     int                      // in b.Items; -1 for none
	indent   int                      // of its box
	bodies   map[int]*strings.Builder // by index in b.Items; a text may have very many lines
	code     fenced
}

// head is a heading, which becomes a task if a task is below it.
type head struct {
	level int
	title string
	key   string
	where string
	body  []string
	item  int // in b.Items; -1 until there is a task below it
}

// readMarkdown reads a checklist: headings become parents, boxes tasks, and the boxes below a task its criteria.
func readMarkdown(b *Batch, f File) {
	o := &outline{b: b, task: -1, bodies: map[int]*strings.Builder{}}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(f.Data), "\ufeff")) {
		n++
		o.line("line "+strconv.Itoa(n), strings.TrimRight(line, "\r\n"))
	}
	o.close(0)
	for at, text := range o.bodies { // the order does not matter
		b.Items[at].Body += text.String()
	}
	for i := range b.Items {
		b.Items[i].Body = strings.TrimSpace(b.Items[i].Body)
	}
	closeHeadings(b.Items)
}

// closeHeadings marks a heading done if everything below it is. Children come after their parents.
func closeHeadings(items []Item) {
	open := map[string]bool{}
	for i := len(items) - 1; i >= 0; i-- {
		it := &items[i]
		if it.Status == "" {
			it.Status = task.Done
			if open[it.Key] {
				it.Status = task.Open
			}
		}
		if !it.Status.Closed() {
			open[it.Parent] = true
		}
	}
}

func (o *outline) line(where, line string) {
	if o.code.inside(line) {
		o.text(line)
		return
	}
	if m := heading().FindStringSubmatch(line); m != nil && m[2] != "" {
		o.close(len(m[1]))
		o.headings = append(o.headings, head{level: len(m[1]), title: m[2], key: o.under(m[2]), where: where, item: -1})
		return
	}
	c, ok := checkbox(line)
	if !ok {
		o.text(line)
		return
	}
	depth := columns(leading().FindString(line))
	if o.task >= 0 && depth > o.indent {
		it := &o.b.Items[o.task]
		it.Criteria = append(it.Criteria, c)
		return
	}
	parent := o.parents()
	status := task.Open
	if c.Checked {
		status = task.Done
	}
	o.indent = depth
	o.task = o.b.add(Item{Where: where, Key: o.under(c.Text), Title: c.Text, Status: status, Parent: parent})
}

// columns returns the indentation of a line; a tab goes to the next multiple of four.
func columns(blank string) (n int) {
	for _, r := range blank {
		if n++; r == '\t' {
			n += 3 - (n-1)%4
		}
	}
	return n
}

// text adds a line to the task or heading above it.
func (o *outline) text(line string) {
	blank := strings.TrimSpace(line) == ""
	if o.task >= 0 && (blank || columns(leading().FindString(line)) > o.indent) {
		if !blank || o.bodies[o.task] != nil {
			o.below(o.task, strings.TrimSpace(line))
		}
		return
	}
	if blank && len(o.headings) == 0 {
		return
	}
	o.task = -1
	if len(o.headings) == 0 {
		o.b.leave("the beginning", "text", strings.TrimSpace(line))
		return
	}
	h := &o.headings[len(o.headings)-1]
	if h.item >= 0 {
		o.below(h.item, line)
		return
	}
	h.body = append(h.body, line)
}

// below adds a line to the body of an item.
func (o *outline) below(item int, line string) {
	if o.bodies[item] == nil {
		o.bodies[item] = &strings.Builder{}
	}
	o.bodies[item].WriteString(line + "\n")
}

// parents turns the open headings into tasks, and returns the key of the innermost.
func (o *outline) parents() string {
	parent := ""
	for i := range o.headings {
		h := &o.headings[i]
		if h.item < 0 {
			h.item = o.b.add(Item{Where: h.where, Key: h.key, Title: h.title, Body: strings.Join(h.body, "\n") + "\n", Parent: parent, Status: ""})
		}
		parent = h.key
	}
	return parent
}

// close ends the headings of a level and below. A heading without a task is reported as unplaced.
func (o *outline) close(level int) {
	o.task = -1
	for len(o.headings) > 0 && o.headings[len(o.headings)-1].level >= level {
		h := o.headings[len(o.headings)-1]
		if h.item < 0 {
			o.b.leave(h.where, "heading without tasks", h.title)
		}
		o.headings = o.headings[:len(o.headings)-1]
	}
}

// under returns the key of a title below the open headings: their words and its own, as a path.
func (o *outline) under(title string) string {
	key := "md:"
	if n := len(o.headings); n > 0 {
		key = o.headings[n-1].key + "/"
	}
	key += wordsOf(title)
	if r := []rune(key); len(r) > task.MaxKey {
		key = string(r[:task.MaxKey])
	}
	return key
}

// wordsOf returns a text as part of a key: its letters and digits in lower case, joined by hyphens.
func wordsOf(s string) string {
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r)
	})
	return cmp.Or(strings.Join(parts, "-"), strings.TrimSpace(s))
}
