package exporter

import (
	"encoding/csv"
	"strconv"
	"strings"

	"tasker/internal/task"
	"tasker/internal/text/words"
)

// table writes a table with one row per task. `tasker import csv` knows its columns by their names.
type table struct {
	w     *csv.Writer
	begun bool
}

var columns = []string{
	"project", "id", "key", "title", "status", "priority", "severity", "due", "parent", "deps", "gate", "autonomy", "preferredActor", "mayExecute",
	"touches", "criteria", "links", "body", "createdAt", "updatedAt", "closedAt",
}

func (f *table) Project(*task.Project) error {
	if f.begun {
		return nil
	}
	f.begun = true
	return f.w.Write(columns)
}

func (f *table) Task(t *Task) error {
	severity := strings.TrimPrefix(strconv.Itoa(int(t.Severity)), "0") // 0 means not set
	criteria, links := words.Each(t.Criteria, boxed), words.Each(t.Links, func(l task.Link) string { return l.Ref })
	return f.w.Write(words.Each([]string{
		t.Project, string(t.ID), t.Key, t.Title, string(t.Status), strconv.Itoa(t.Priority), severity, string(t.Due), t.ParentKey,
		strings.Join(t.DepKeys, "\n"), string(t.Gate), string(t.Autonomy), string(t.PreferredActor), strings.Join(t.MayExecute, "\n"),
		strings.Join(t.Touches, "\n"), strings.Join(criteria, "\n"), strings.Join(links, "\n"), string(t.Body),
		t.CreatedAt.String(), t.UpdatedAt.String(), t.ClosedAt.String(),
	}, inert))
}

func (f *table) End() error {
	f.w.Flush()
	return f.w.Error()
}

// inert returns a text that no spreadsheet takes for a formula, by putting an apostrophe before it
// where needed. `tasker import csv` removes the apostrophe again.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r'", rune(s[0])) {
		return "'" + s
	}
	return s
}
