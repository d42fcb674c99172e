package render

import (
	"tasker/internal/cli/frame"
	"tasker/internal/task"
	"tasker/internal/task/proven"
)

// Evidence returns the value of evidence in words: a run as one line, marked if it is stale.
func Evidence(f *frame.Factory, e task.Evidence, status task.Status) string {
	r, ok := proven.Parse(e.Value)
	if !ok {
		return e.Value
	}
	return r.Words() + stale(f, e, status)
}

// stale returns a mark if the evidence is a run whose files have changed since.
func stale(f *frame.Factory, e task.Evidence, status task.Status) string {
	switch r, ok := proven.Parse(e.Value); {
	case !ok || !f.Staleness().Of(r, status):
		return ""
	case status.Closed():
		return " (stale: the files it ran on are in no commit here)"
	default:
		return " (stale: the files have changed since)"
	}
}
