package render

import (
	"tasker/internal/cli/frame"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// Evidence returns the value of evidence in words: a run in one line, and whether it is stale.
func Evidence(f *frame.Factory, e task.Evidence, status task.Status) string {
	r, ok := proven.Parse(e.Value)
	if !ok {
		return e.Value
	}
	words := frame.RanWords(r)
	switch {
	case !f.Staleness().Of(r, status):
	case status.Closed():
		words += " (stale: the files it ran on are in no commit here)"
	default:
		words += " (stale: the files have changed since)"
	}
	return words
}
