package render

import (
	"tasker/internal/brief"
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
	return r.Words() + stale(f, r, status)
}

// staleness returns that evidence is stale, if it is.
func staleness(f *frame.Factory, e brief.Evidence, status task.Status) string {
	if e.Run == nil {
		return ""
	}
	return stale(f, *e.Run, status)
}

func stale(f *frame.Factory, r proven.Run, status task.Status) string {
	switch {
	case !f.Staleness().Of(r, status):
		return ""
	case status.Closed():
		return " (stale: the files it ran on are in no commit here)"
	default:
		return " (stale: the files have changed since)"
	}
}
