package planning

import (
	"slices"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// written is a task as people write it down: a title, a body, a checklist, and what it waits for.
type written struct {
	title, body    string
	criteria, deps []string
	ticked         []string // criteria that the text ticks
}

var (
	boxLine   = words.Pattern(`^\s*[-*+]\s+\[([ xX])\]\s+(\S.*)$`)
	depsLine  = words.Pattern(`(?i)^deps:\s*(.*)$`)
	fenceLine = words.Pattern("^\\s*(```+|~~~+)")
)

// readWritten parses a text. Its first line is the title, with or without a # before it. Lines of the form "- [ ] TEXT"
// are criteria, continued by indented lines; "deps: a, b" names what the task waits for; everything else is the body,
// including everything in code blocks.
func readWritten(text string) (written, error) {
	var w written
	var body []string
	fence, inBox := "", false
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if w.title == "" {
			w.title = strings.TrimSpace(strings.TrimLeft(trimmed, "#"))
			continue
		}
		mark := fenceLine().FindStringSubmatch(line)
		switch {
		case fence != "" || mark != nil:
			if fence == "" {
				fence = mark[1]
			} else if mark != nil && strings.HasPrefix(mark[1], fence) {
				fence = ""
			}
			body, inBox = append(body, line), false
			continue
		case inBox && trimmed != "" && line != strings.TrimLeft(line, " \t") && !boxLine().MatchString(line):
			w.criteria[len(w.criteria)-1] += " " + trimmed
			continue
		}
		box, deps := boxLine().FindStringSubmatch(line), depsLine().FindStringSubmatch(line)
		inBox = box != nil
		switch {
		case box != nil:
			w.criteria = append(w.criteria, strings.TrimSpace(box[2]))
			if box[1] != " " {
				w.ticked = append(w.ticked, strings.TrimSpace(box[2]))
			}
		case deps != nil:
			w.deps = append(w.deps, strings.FieldsFunc(deps[1], func(r rune) bool { return strings.ContainsRune(", \t[]", r) })...)
		default:
			body = append(body, strings.TrimRight(line, " \t"))
		}
	}
	if w.title == "" {
		return w, fault.Bad("the text on standard input has no title").
			WithHint("its first line is the title; below it come what is to be done, criteria as \"- [ ] TEXT\", and \"deps: a, b\"")
	}
	body = slices.CompactFunc(body, func(a, b string) bool { return a == "" && b == "" }) // lines that were taken out leave runs of empty ones
	w.body = strings.Trim(strings.Join(body, "\n"), "\n")
	return w, nil
}
