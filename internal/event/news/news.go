// Package news decides which actions by others a worker hears about for the tasks it holds, and puts each on one line.
package news

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Limit is how many items an answer includes; the newest win.
const Limit = 10

// How many characters an item quotes.
const (
	maxText  = 400 // of what somebody wrote
	maxValue = 40  // of a field that was changed
	maxFiles = 5   // how many guidance files are named
)

// Item is one action by somebody else. Text describes it in a line or two, and quotes what others wrote.
type Item struct {
	Event int64     `json:"event"`
	At    task.Time `json:"at"`
	Task  task.ID   `json:"task"`
	Actor string    `json:"actor"`
	Kind  task.Kind `json:"kind"`
	Text  string    `json:"text"`
}

func item(e task.Event, on task.ID, text string) Item {
	return Item{Event: e.ID, At: e.At, Task: on, Actor: e.Actor, Kind: e.Kind, Text: text}
}

// Of returns the news that an event of a held task has for its holder, if any: what others wrote and changed is news,
// what a machine maintains is not. Answered handles answers.
func Of(e task.Event) (Item, bool) {
	p := payload(e)
	on := task.ID(e.Task)
	switch e.Kind {
	case task.NoteAdded:
		return item(e, on, e.Actor+" noted: "+words.Cut(p.text("text"), maxText)), true
	case task.DecisionRecorded:
		return item(e, on, e.Actor+" decided: "+words.Cut(p.text("title"), maxText)), true
	case task.DecisionWithdrawn:
		return item(e, on, e.Actor+" withdrew a decision: "+words.Cut(p.text("title"), maxText)), true
	case task.ApprovalGiven: // its holder was asked for it, and closes the task
		return item(e, on, e.Actor+words.Either(p.text("kind") == task.KindVerification, " verified it", " approved it")+words.When(p.text("note") != "",
			": "+words.Cut(p.text("note"), maxText))), true
	case task.TaskUpdated:
		return item(e, on, e.Actor+" changed "+p.changes()), true
	case task.TaskMoved:
		return item(e, on, e.Actor+" moved it from "+p.status("from")+" to "+p.status("to")), true
	case task.CriterionChecked:
		return item(e, on, e.Actor+" ticked criterion "+p.number("index")), true
	case task.GuidanceDrifted:
		return item(e, on, "files of its guidance have changed since it was claimed: "+p.files()), true
	case task.CriterionUnchecked:
		return item(e, on, e.Actor+" unticked criterion "+p.number("index")), true
	default:
		return Item{}, false
	}
}

// Answered returns the news of an answer for the asker of the question.
func Answered(e task.Event, q *task.Question) Item {
	return item(e, q.Task, fmt.Sprintf("%s answered question %d (%s): %s", e.Actor, q.ID, q.Brief(),
		words.Cut(payload(e).text("text"), maxText)))
}

// Asked returns the news of a question for the agent that it is put to.
func Asked(q *task.Question) Item {
	return Item{Event: q.ID, At: q.AskedAt, Task: q.Task, Actor: q.Actor, Kind: task.QuestionAsked,
		Text: fmt.Sprintf("%s asks %s, question %d: %s", q.Actor, q.To, q.ID, words.Cut(q.Text, maxText))}
}

// Question returns the id of the question that an answer event is about, or 0 if it names none.
func Question(e task.Event) int64 {
	n, _ := strconv.ParseInt(payload(e).number("question"), 10, 64)
	return n
}

// Reopened returns the news that an event of a dependency has for the holder of a task that waits for it, if any: that
// it was closed and is open again.
func Reopened(e task.Event, held task.ID) (Item, bool) {
	p := payload(e)
	if e.Kind != task.TaskMoved || !task.Status(p.text("from")).Closed() || task.Status(p.text("to")).Closed() {
		return Item{}, false
	}
	return item(e, held, fmt.Sprintf("%s reopened %s, which it depends on", e.Actor, e.Task)), true
}

// Newest returns the newest items, oldest first, each event once, and whether there were more.
func Newest(all []Item) (list []Item, more bool) {
	slices.SortFunc(all, func(a, b Item) int { return int(a.Event - b.Event) })
	all = slices.CompactFunc(all, func(a, b Item) bool { return a.Event == b.Event && a.Task == b.Task })
	if len(all) <= Limit {
		return all, false
	}
	return all[len(all)-Limit:], true
}

// values are the members of a payload as they are stored.
type values map[string]jsontext.Value

func payload(e task.Event) values {
	p := values{}
	_ = json.Unmarshal(e.Payload, &p) // an unreadable payload only says less
	return p
}

func (p values) text(name string) string {
	var s string
	_ = json.Unmarshal(p[name], &s)
	return s
}

func (p values) status(name string) string { return strings.ReplaceAll(p.text(name), "_", " ") }

func (p values) number(name string) string { return string(p[name]) }

// files lists the changed guidance files, or counts them if there are many.
func (p values) files() string {
	var all []struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(p["files"], &all) != nil || len(all) == 0 {
		return "some of them"
	}
	var names []string
	for _, f := range all[:min(len(all), maxFiles)] {
		names = append(names, words.Cut(f.Path, maxText))
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return words.List(names)
}

// changes lists the changed fields, with their values if these are short.
func (p values) changes() string {
	var out []string
	for name, value := range p {
		var d struct {
			From jsontext.Value `json:"from"`
			To   jsontext.Value `json:"to"`
		}
		if json.Unmarshal(value, &d) != nil || d.From == nil && d.To == nil {
			continue
		}
		from, to := short(d.From), short(d.To)
		if from == "" || to == "" {
			out = append(out, name)
			continue
		}
		out = append(out, fmt.Sprintf("%s (%s to %s)", name, from, to))
	}
	slices.Sort(out)
	return cmp.Or(words.List(out), "it")
}

// short returns a value that fits on a line, or "".
func short(v jsontext.Value) string {
	switch {
	case len(v) == 0 || v.Kind() == 'n':
		return "none"
	case v.Kind() == '{' || v.Kind() == '[':
		return ""
	}
	text := string(v)
	if v.Kind() == '"' {
		_ = json.Unmarshal(v, &text)
	}
	if len(text) > maxValue || strings.ContainsAny(text, "\r\n") {
		return ""
	}
	return cmp.Or(text, "none")
}
