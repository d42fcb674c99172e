package importer

import (
	"strconv"

	"tasker/internal/task"
)

// TrackerKind is the kind of an import from the tracker that a project is linked to.
const TrackerKind = "tracker"

// Issue is an issue of a tracker: its values by task field, and the binding that its task gets.
type Issue struct {
	Values  map[string]string
	Binding task.Binding
}

// FromIssues makes a batch from the issues of a tracker. Their names there become their keys.
func FromIssues(project string, issues []Issue) (*Batch, error) {
	b := &Batch{Kind: TrackerKind, Project: project}
	for i := range issues {
		v, bound := issues[i].Values, &issues[i].Binding
		it := Item{
			Where: bound.Ref, Key: b.key(bound.Ref), Title: v["title"], Body: v["body"], Status: task.Status(v["status"]), Due: v["due"], Binding: bound,
			Sprint: v["sprint"], Rank: v["rank"],
		}
		if n, err := strconv.Atoi(v["priority"]); err == nil {
			it.Priority = priority(n)
		}
		if n, err := strconv.Atoi(v["severity"]); err == nil {
			it.Severity = task.Severity(n)
		}
		b.add(it)
	}
	return b, b.end()
}
