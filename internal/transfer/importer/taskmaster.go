package importer

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// master is a task of Task Master, or a subtask of one.
type master struct {
	ID          loose        `json:"id"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Details     string       `json:"details"`
	Tests       string       `json:"testStrategy"`
	Status      string       `json:"status"`
	Priority    string       `json:"priority"`
	Deps        []loose      `json:"dependencies"`
	Subtasks    upTo[master] `json:"subtasks"`
}

var masterStatus = map[string]task.Status{
	"pending": task.Open, "todo": task.Open, "blocked": task.Open, "in-progress": task.InProgress, "done": task.Done, "completed": task.Done,
	"review": task.InReview, "cancelled": task.Cancelled,
}

// readTaskMaster reads tasks.json: one list of tasks, or one per tag.
func readTaskMaster(b *Batch, f File) {
	lines := lineCounter{data: f.Data}
	var tags map[string]jsontext.Value
	if err := json.Unmarshal(bytes.TrimPrefix(f.Data, []byte("\ufeff")), &tags); err != nil {
		b.fault(lines.of(jsontext.NewDecoder(bytes.NewReader(nil)), err), "%s", jsonWords(err))
		return
	}
	if list, plain := tags["tasks"]; plain && len(list) > 0 && list[0] == '[' {
		readTag(b, "", jsontext.Value(f.Data))
		return
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		readTag(b, tag, tags[tag])
	}
}

// readTag reads the tasks of a tag.
func readTag(b *Batch, tag string, raw jsontext.Value) {
	where, prefix := "task", "tm-"
	if tag != "" && tag != "master" {
		where, prefix = "tag "+tag+", task", "tm-"+tag+":"
	}
	var list struct {
		Tasks upTo[jsontext.Value] `json:"tasks"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		b.fault(where, "%s", jsonWords(err))
		return
	}
	for i, raw := range list.Tasks {
		var v master
		at := where + " " + strconv.Itoa(i+1)
		if err := json.Unmarshal(raw, &v); err != nil {
			b.fault(at, "%s", jsonWords(err))
			continue
		}
		v.add(b, at, prefix, "")
		for k := range v.Subtasks {
			sub := &v.Subtasks[k]
			sub.add(b, at+", subtask "+strconv.Itoa(k+1), prefix, string(v.ID))
			for n := range sub.Subtasks {
				b.leave(prefix+string(v.ID), "subtask of a subtask", sub.Subtasks[n].Title)
			}
		}
	}
}

// add adds a task or a subtask.
func (v *master) add(b *Batch, where, prefix, parent string) {
	if v.ID == "" {
		b.fault(where, "it has no id")
		return
	}
	key := func(id string) string { return b.key(prefix + id) }
	own := string(v.ID)
	if parent != "" {
		own = parent + "." + strings.TrimPrefix(own, parent+".")
	}
	it := Item{Where: where, Key: key(own), Title: v.Title, Body: strings.TrimSpace(v.Description)}
	it.Body = section(it.Body, "Details", v.Details)
	it.Body = section(it.Body, "Tests", v.Tests)
	it.Status = b.status(it.Key, v.Status, masterStatus)
	it.Priority = b.rated(it.Key, v.Priority)
	if parent != "" {
		it.Parent = key(parent)
	}
	it.Deps = b.keys(words.Each(texts(v.Deps), func(dep string) string {
		if parent != "" && !strings.Contains(dep, ".") { // a bare number is another subtask of the same task
			dep = parent + "." + dep
		}
		return prefix + dep
	}))
	b.add(it)
}
