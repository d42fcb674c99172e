package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
)

// jiraDoc is the answer of a search of Jira's API, or one issue of it.
type jiraDoc struct {
	Issues upTo[jiraIssue] `json:"issues"`
	Key    string          `json:"key"`
	Fields jiraFields      `json:"fields"`
}

type jiraIssue struct {
	Key    string     `json:"key"`
	Fields jiraFields `json:"fields"`
}

type jiraFields struct {
	Summary     string `json:"summary"`
	Description prose  `json:"description"`
	Status      struct {
		Name     string `json:"name"`
		Category struct {
			Key string `json:"key"`
		} `json:"statusCategory"`
	} `json:"status"`
	Resolution named          `json:"resolution"`
	Priority   named          `json:"priority"`
	Assignee   named          `json:"assignee"`
	Due        string         `json:"duedate"`
	Parent     jiraRef        `json:"parent"`
	Labels     []string       `json:"labels"`
	Type       named          `json:"issuetype"`
	Links      upTo[jiraLink] `json:"issuelinks"`
	Comment    struct {
		Comments upTo[jiraComment] `json:"comments"`
	} `json:"comment"`
}

type jiraLink struct {
	Type struct {
		Inward  string `json:"inward"`
		Outward string `json:"outward"`
	} `json:"type"`
	Inward  jiraRef `json:"inwardIssue"`
	Outward jiraRef `json:"outwardIssue"`
}

type jiraComment struct {
	Author  named  `json:"author"`
	Created string `json:"created"`
	Body    prose  `json:"body"`
}

type jiraRef struct {
	Key string `json:"key"`
}

// prose is a text. Jira's newer API writes a document of nodes, whose texts are joined.
type prose string

// UnmarshalJSONFrom reads a text, a document, or null.
func (p *prose) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	switch dec.PeekKind() {
	case '"':
		return readText(dec, p)
	case '{':
		raw, err := dec.ReadValue()
		*p = prose(nodeText(raw))
		return err
	}
	return dec.SkipValue()
}

// nodeText returns the texts of a document of nodes, one paragraph per line.
func nodeText(raw jsontext.Value) string {
	var b strings.Builder
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	name := ""
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return strings.TrimSpace(b.String())
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if tok.Kind() != '"' {
			continue
		}
		switch text := tok.String(); {
		case kind == '{' && n%2 == 1:
			name = text
		case name == "text" && kind == '{':
			b.WriteString(text)
		case name == "type" && (text == "paragraph" || text == "heading" || text == "hardBreak" || text == "codeBlock"):
			b.WriteString("\n")
		}
	}
}

// waits lists the link texts which say that an issue waits for the other.
var waits = []string{"is blocked by", "depends on", "has to be done after"}

// undone lists the resolutions of issues that were closed without being done.
var undone = []string{"won't do", "won't fix", "wont fix", "duplicate", "cannot reproduce", "declined", "incomplete", "known error"}

// jiraStatus returns the status of an issue from its category, name and resolution.
func jiraStatus(b *Batch, item, category, name, resolution string) task.Status {
	switch strings.ToLower(strings.TrimSpace(category)) {
	case "done", "complete":
		return ended(task.Done, resolution)
	case "indeterminate", "in progress":
		if strings.Contains(strings.ToLower(name), "review") {
			return task.InReview
		}
		return task.InProgress
	case "new", "to do", "undefined":
		return task.Open
	}
	return ended(b.status(item, name, csvStatus), resolution)
}

// ended returns cancelled for an issue that was closed without being done, else the given status.
func ended(s task.Status, resolution string) task.Status {
	if s == task.Done && slices.Contains(undone, strings.ToLower(resolution)) {
		return task.Cancelled
	}
	return s
}

// readJira reads the JSON of Jira's search, or the CSV that its pages export.
func readJira(b *Batch, f File) {
	start := bytes.TrimSpace(bytes.TrimPrefix(f.Data, []byte("\ufeff")))
	if len(start) == 0 || start[0] != '{' && start[0] != '[' {
		readJiraCSV(b, f)
		return
	}
	eachJSON(b, f, func(where string, v *jiraDoc) {
		if v.Key != "" {
			b.add(jiraItem(b, where, jiraIssue{v.Key, v.Fields}))
		}
		for i := range v.Issues {
			b.add(jiraItem(b, fmt.Sprintf("%s, issue %d", where, i+1), v.Issues[i]))
		}
	})
}

func jiraItem(b *Batch, where string, v jiraIssue) Item {
	f := &v.Fields
	it := Item{
		Where: where, Key: b.key(v.Key), Title: f.Summary, Body: strings.TrimSpace(strings.ReplaceAll(string(f.Description), "\r\n", "\n")),
		Parent: b.key(f.Parent.Key), Actor: string(f.Assignee), Due: moment(f.Due),
	}
	it.Status = jiraStatus(b, it.Key, f.Status.Category.Key, f.Status.Name, string(f.Resolution))
	it.Criteria = checklist(it.Body)
	it.Priority = b.urgency(it.Key, string(f.Priority))
	for _, l := range f.Links {
		says, other := l.Type.Outward, l.Outward.Key
		if l.Inward.Key != "" {
			says, other = l.Type.Inward, l.Inward.Key
		}
		if slices.Contains(waits, strings.ToLower(says)) {
			it.Deps = append(it.Deps, b.keys([]string{other})...)
		} else if !strings.EqualFold(says, "blocks") { // the other issue records this link
			b.leave(it.Key, cmp.Or(says, "link"), other)
		}
	}
	for _, c := range f.Comment.Comments {
		it.note(said(string(c.Author), c.Created, string(c.Body)))
	}
	b.leave(it.Key, "issue type", string(f.Type))
	leaveAll(b, it.Key, "label", f.Labels)
	return it
}

// readJiraCSV reads the CSV of Jira's pages. A parent may be given by the number of its issue.
func readJiraCSV(b *Batch, f File) {
	numbers, from := map[string]string{}, len(b.Items)
	eachRow(b, f, func(where string, of func(string) []string) {
		one := func(column string) string { return firstOf(of(column)) }
		it := Item{
			Where: where, Key: b.key(cmp.Or(one("Issue key"), one("Key"))), Title: one("Summary"), Body: strings.TrimSpace(one("Description")),
			Actor: one("Assignee"), Due: moment(cmp.Or(one("Due date"), one("Due"))),
			Parent: cmp.Or(one("Parent key"), one("Parent"), one("Parent id")),
		}
		if id := one("Issue id"); id != "" {
			numbers[id] = it.Key
		}
		it.Status = jiraStatus(b, it.Key, one("Status Category"), one("Status"), one("Resolution"))
		it.Criteria = checklist(it.Body)
		it.Priority = b.urgency(it.Key, one("Priority"))
		it.Deps = b.keys(parted(of("Inward issue link (Blocks)")))
		for _, c := range of("Comment") {
			at, rest, _ := strings.Cut(c, ";")
			author, text, dated := strings.Cut(rest, ";")
			if !dated {
				at, author, text = "", "", c
			}
			it.note(said(author, at, text))
		}
		for _, column := range []string{"Issue Type", "Labels", "Sprint", "Fix versions", "Components", "Story Points"} {
			leaveAll(b, it.Key, strings.ToLower(column), of(column))
		}
		b.add(it)
	})
	for i := from; i < len(b.Items); i++ {
		it := &b.Items[i]
		it.Parent = cmp.Or(numbers[it.Parent], b.key(it.Parent))
	}
}
