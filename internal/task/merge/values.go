package merge

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"tasker/internal/fault"
	"tasker/internal/task"
	"tasker/internal/text/words"
)

// Values holds the values of fields as texts. A missing field does not travel.
type Values map[string]string

// Of returns the values of a task. Its Body must be loaded.
func Of(t *task.Task) Values {
	v := Values{
		"title": t.Title, "body": string(t.Body), "due": string(t.Due), "sprint": string(t.Sprint), "rank": string(t.Rank),
		"priority": strconv.Itoa(t.Priority), "status": string(t.Status), "severity": "",
	}
	if t.Severity != 0 {
		v["severity"] = strconv.Itoa(int(t.Severity))
	}
	return v
}

// Check refuses a value that a task cannot have.
func Check(field, value string) error {
	number := func(low, high int) error {
		if n, err := strconv.Atoi(value); err != nil || n < low || n > high || strconv.Itoa(n) != value {
			return fault.Bad("%s cannot be %s", field, words.Quoted(value)).WithHint("a whole number from %d to %d", low, high)
		}
		return nil
	}
	switch field {
	case "title":
		if strings.TrimSpace(value) == "" {
			return fault.Bad("the title is empty").WithHint("give it at least one character")
		}
		return task.CheckText("the title", value, task.MaxTitle)
	case "body":
		return task.CheckOptional("the body", value, task.MaxText)
	case "sprint", "rank":
		return task.CheckOptional("the "+field, value, task.MaxName)
	case "due":
		if value == "" {
			return nil
		}
		_, err := task.ParseDue(value)
		return err
	case "priority":
		return number(0, task.MaxPriority)
	case "severity":
		if value == "" {
			return nil
		}
		return number(1, task.MaxSeverity)
	case "status":
		_, err := task.ParseStatus(value)
		return err
	}
	return fault.Bad("%s is not synced", words.Quoted(field)).WithHint("the synced fields are %s", words.List(Travelling))
}

// Put sets a field of a task to a value that Check accepts, except the status, which has to be
// moved. It returns the change, and whether there is one.
func Put(t *task.Task, field, value string) (task.Delta, bool) {
	from := Of(t)[field]
	if from == value || field == "status" {
		return task.Delta{}, false
	}
	switch field {
	case "title":
		t.Title = value
	case "body":
		t.Body = task.Opt(value)
		t.HasBody = value != ""
	case "due":
		t.Due = task.Opt(value)
	case "sprint":
		t.Sprint = task.Opt(value)
	case "rank":
		t.Rank = task.Opt(value)
	case "priority":
		t.Priority, _ = strconv.Atoi(value)
	case "severity":
		n, _ := strconv.Atoi(value)
		t.Severity = task.Severity(n)
	}
	return task.Delta{From: Shown(field, from), To: Shown(field, value)}, true
}

// Shown returns a value as JSON shows it: null for none, a number if the field has numbers.
func Shown(field, value string) any {
	if value == "" {
		return nil
	}
	if field == "priority" || field == "severity" {
		if n, err := strconv.Atoi(value); err == nil {
			return n
		}
	}
	return value
}

// Words returns the value of a field as people write it: "nothing" if there is none, and "in progress" for in_progress.
func Words(field string, value any) string {
	switch text := fmt.Sprint(value); {
	case value == nil || text == "":
		return "nothing"
	case field == "status":
		return strings.ReplaceAll(text, "_", " ")
	default:
		return text
	}
}

// Fitting returns the values of another system that a task can have.
func Fitting(v Values) Values {
	out := maps.Clone(v)
	maps.DeleteFunc(out, func(field, value string) bool { return Check(field, value) != nil })
	return out
}
