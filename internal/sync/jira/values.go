package jira

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/site"
	"tasker/internal/task"
	"tasker/internal/task/merge"
	"tasker/internal/text/words"
)

// status is a status in an answer.
type status struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Category struct {
		Key string `json:"key"`
	} `json:"statusCategory"`
}

// categories maps each category of statuses to the status it stands for if nothing is mapped to it.
var categories = map[string]task.Status{"new": task.Open, "indeterminate": task.InProgress, "done": task.Done}

// categoryOf returns the category of one of our statuses.
func categoryOf(s task.Status) string {
	switch s {
	case task.Open:
		return "new"
	case task.Done, task.Cancelled:
		return "done"
	default:
		return "indeterminate"
	}
}

// is reports whether a status has the given name or id.
func (s status) is(name string) bool { return strings.EqualFold(s.Name, name) || s.ID == name }

// own returns our status for one of the site's, and whether the map has it.
func (c *Client) own(s status) (task.Status, bool) {
	for _, own := range task.Statuses {
		if name, ok := c.Status[string(own)]; ok && s.is(name) {
			return own, true
		}
	}
	return categories[s.Category.Key], false
}

// The time layouts that Jira writes.
const (
	layoutJira   = "2006-01-02T15:04:05.000-0700"
	layoutSorted = "2006-01-02T15:04:05.000Z"
)

// read converts an issue of an answer to the domain's type.
func (c *Client) read(i issue) (merge.Issue, error) {
	broken := func(what string) error {
		return &site.Problem{Message: "the tracker gives an issue without " + what}
	}
	if i.Key == "" {
		return merge.Issue{}, broken("a key")
	}
	var title, updated string
	_, titled := i.Fields["summary"]
	if titled && !text(i.Fields["summary"], &title) {
		return merge.Issue{}, broken("a summary: " + words.Shown(i.Key))
	}
	if !text(i.Fields["updated"], &updated) {
		return merge.Issue{}, broken("the time of its last change: " + words.Shown(i.Key))
	}
	at, err := time.Parse(layoutJira, updated)
	if err != nil {
		if at, err = time.Parse(time.RFC3339Nano, updated); err != nil {
			return merge.Issue{}, broken("a readable time of its last change: " + words.Shown(i.Key))
		}
	}
	var st status
	if json.Unmarshal(i.Fields["status"], &st) != nil || st.Name == "" {
		return merge.Issue{}, broken("a status: " + words.Shown(i.Key))
	}
	out := merge.Issue{Ref: i.Key, Updated: at.UTC().Format(layoutSorted), Closed: st.Category.Key == "done", Values: merge.Values{}}
	if titled {
		out.Values["title"] = title
	}
	own, mapped := c.own(st)
	if !mapped {
		as := words.Either(own == "", " and has no category we know: it is left alone", ": by its category it counts as "+string(own))
		out.Warnings = append(out.Warnings, fmt.Sprintf("the status %s is not in statusMap%s", words.Quoted(st.Name), as))
	}
	if own != "" {
		out.Values["status"] = string(own)
	}
	if raw, there := i.Fields["description"]; there {
		out.Values["body"] = body(raw)
	}
	if raw, there := i.Fields["duedate"]; there {
		due := ""
		text(raw, &due)
		out.Values["due"] = due
	}
	if p, ok := priority(i.Fields["priority"]); ok {
		out.Values["priority"] = p
	}
	for _, name := range custom {
		id := c.Fields[name]
		if raw, there := i.Fields[id]; id != "" && there {
			out.Values[name] = readCustom(name, raw)
		}
	}
	return out, nil
}

// text decodes a string, and reports whether there is one.
func text(raw jsontext.Value, into *string) bool {
	return len(raw) > 0 && raw.Kind() == '"' && json.Unmarshal(raw, into) == nil
}

// priorities lists Jira's names of priorities, the most urgent first; our last one stands for two
// of them.
var priorities = []string{"Highest", "High", "Medium", "Low", "Lowest"}

func priority(raw jsontext.Value) (string, bool) {
	var p struct {
		Name string `json:"name"`
	}
	if len(raw) == 0 || raw.Kind() != '{' || json.Unmarshal(raw, &p) != nil {
		return "", false
	}
	n := slices.IndexFunc(priorities, func(name string) bool { return strings.EqualFold(p.Name, name) })
	return strconv.Itoa(min(n, task.MaxPriority)), n >= 0
}

var (
	severityDigit = words.Pattern(`[1-4]`)
	oldSprint     = words.Pattern(`\bname=([^,\]]*)`)
	oldState      = words.Pattern(`\bstate=(\w+)`)
)

func readCustom(name string, raw jsontext.Value) string {
	switch name {
	case "sprint":
		return sprint(raw)
	case "severity":
		return severityDigit().FindString(plain(raw))
	default:
		return plain(raw)
	}
}

// plain returns the text of a value, which for an option is its value or name.
func plain(raw jsontext.Value) string {
	switch raw.Kind() {
	case '"':
		var s string
		text(raw, &s)
		return s
	case '0':
		return raw.String()
	case '{':
		var o struct {
			Value string `json:"value"`
			Name  string `json:"name"`
		}
		if json.Unmarshal(raw, &o) == nil {
			return cmp.Or(o.Value, o.Name)
		}
	}
	return ""
}

// sprint returns the name of an issue's sprint: the active one, else the last that is not closed.
func sprint(raw jsontext.Value) string {
	var list []jsontext.Value
	if len(raw) == 0 || raw.Kind() != '[' || json.Unmarshal(raw, &list) != nil {
		return ""
	}
	open := ""
	for _, one := range list {
		var s struct {
			Name  string `json:"name"`
			State string `json:"state"`
		}
		old := ""
		if text(one, &old) { // older versions write a text
			if m := oldSprint().FindStringSubmatch(old); m != nil {
				s.Name = m[1]
			}
			if m := oldState().FindStringSubmatch(old); m != nil {
				s.State = m[1]
			}
		} else if json.Unmarshal(one, &s) != nil {
			continue
		}
		switch {
		case strings.EqualFold(s.State, "active"):
			return s.Name
		case !strings.EqualFold(s.State, "closed"):
			open = s.Name
		}
	}
	return open
}

// body returns a description as text: a Data Center has text, the Cloud a document.
func body(raw jsontext.Value) string {
	s := ""
	switch raw.Kind() {
	case '"':
		text(raw, &s)
	case '{':
		var doc node
		if json.Unmarshal(raw, &doc) == nil {
			s = doc.text()
		}
	}
	return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}
