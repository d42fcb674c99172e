package importer

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/fault"
	"tasker/internal/plan"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Folder is the kind whose source is a folder: Backlog.md has a file for each task.
const Folder = "backlog"

var (
	backlogStatus = map[string]task.Status{
		"to do": task.Open, "todo": task.Open, "backlog": task.Open, "ready": task.Open, "blocked": task.Open, "in progress": task.InProgress,
		"doing": task.InProgress, "review": task.InReview, "in review": task.InReview, "done": task.Done, "completed": task.Done,
		"cancelled": task.Cancelled, "canceled": task.Cancelled, "won't do": task.Cancelled,
	}
	marker  = words.Pattern(`^\s*<!--.*-->\s*$`)
	ordinal = words.Pattern(`^#\d+\s+`)
)

// readBacklog reads the tasks of Backlog.md: one Markdown file per task, with its fields in YAML
// before the text.
func readBacklog(b *Batch, f File) {
	fields, text, why := frontMatter(f.Data)
	if why != "" {
		b.fault(f.Name, "%s", why)
		return
	}
	one := func(name string) string { return firstOf(listOf(fields[name])) }
	key := func(id string) string { return b.key(strings.ToLower(strings.TrimSpace(id))) }
	it := Item{
		Where: f.Name, Key: key(one("id")), Title: cmp.Or(one("title"), titleOf(f.Name)), Parent: key(one("parent_task_id")),
		Deps: b.keys(words.Each(listOf(fields["dependencies"]), strings.ToLower)),
	}
	if it.Key == "" {
		b.fault(f.Name, "it has no id")
		return
	}
	it.Status = b.status(it.Key, one("status"), backlogStatus)
	it.Priority = b.rated(it.Key, one("priority"))
	for i, name := range listOf(fields["assignee"]) {
		name = strings.TrimPrefix(name, "@")
		if _, _, err := task.ParseActor(name); i > 0 || err != nil {
			b.leave(it.Key, "assignee", name)
			continue
		}
		it.Actor = name
	}
	for _, name := range []string{"references", "documentation"} {
		for _, ref := range listOf(fields[name]) {
			if isAddress(ref) {
				it.link(ref)
			} else {
				b.leave(it.Key, name, ref)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(backlogFields, name) {
			b.leave(it.Key, name, strings.Join(listOf(fields[name]), ", "))
		}
	}
	it.backlogText(text)
	b.add(it)
}

// frontMatter splits a file into the fields before its text and the text. why says what is wrong if
// it cannot.
func frontMatter(data []byte) (fields map[string]jsontext.Value, text, why string) {
	text = strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	head, body, closed := strings.Cut("\n"+rest, "\n---") // keep the first line, so that faults name lines of the file
	if !ok || !closed {
		return nil, "", "it does not begin with fields between two lines of ---"
	}
	out, err := plan.YAMLToJSON([]byte(head))
	if err != nil {
		return nil, "", "the fields are not valid YAML: " + strings.Join(fault.Of(err).Missing, "; ")
	}
	fields = map[string]jsontext.Value{}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &fields); err != nil {
			return nil, "", "the fields are not names with values"
		}
	}
	_, body, _ = strings.Cut(body, "\n")
	return fields, body, ""
}

// backlogFields lists the fields that an import uses, and the dates and orders that it ignores.
var backlogFields = []string{
	"id", "title", "status", "assignee", "dependencies", "parent_task_id", "priority", "references", "documentation",
	"created_date", "updated_date", "ordinal",
}

// backlogText parses the sections of a task's text.
func (it *Item) backlogText(text string) {
	var code fenced
	name, lines := "", []string{}
	end := func() {
		it.backlogSection(name, strings.TrimSpace(strings.Join(lines, "\n")))
		lines = lines[:0]
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		inside := code.inside(line)
		if title, ok := strings.CutPrefix(line, "## "); ok && !inside {
			end()
			name = strings.TrimSpace(title)
			continue
		}
		if inside || !marker().MatchString(line) {
			lines = append(lines, line)
		}
	}
	end()
}

func (it *Item) backlogSection(name, text string) {
	switch strings.ToLower(name) {
	case "", "description":
		it.Body = strings.TrimSpace(it.Body + "\n\n" + text)
	case "acceptance criteria", "definition of done":
		for _, c := range checklist(text) {
			c.Text = ordinal().ReplaceAllString(c.Text, "")
			same := func(other Criterion) bool { return other.Text == c.Text }
			if c.Text != "" && !slices.ContainsFunc(it.Criteria, same) {
				it.Criteria = append(it.Criteria, c)
			}
		}
	case "implementation notes", "final summary":
		it.note(said(name, "", text))
	default:
		it.Body = section(it.Body, name, text)
	}
}

// titleOf returns the title in a file name such as "task-3 - The cart.md".
func titleOf(file string) string {
	name := strings.TrimSuffix(path.Base(file), ".md")
	if _, title, ok := strings.Cut(name, " - "); ok {
		return strings.TrimSpace(title)
	}
	return name
}

// listOf returns the texts of a list, or of a single value. It returns anything but text and
// numbers as raw JSON.
func listOf(v jsontext.Value) []string {
	var list []jsontext.Value
	if json.Unmarshal(v, &list) != nil {
		list = []jsontext.Value{v}
	}
	var out []string
	for _, item := range list {
		var text string
		if len(item) == 0 || item.Kind() == 'n' {
			continue
		}
		if json.Unmarshal(item, &text) != nil {
			text = string(item)
		}
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}
