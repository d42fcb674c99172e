package render

import (
	"tasker/internal/cli/frame"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
)

// Evidence returns the value of evidence in words: a run as one line, marked if it is stale.
func Evidence(f *frame.Factory, e task.Evidence, status task.Status) string {
	r, ok := proven.Parse(e.Value)
	if !ok {
		return e.Value
	}
	return r.InFull() + stale(f, e, status)
}

// inFull returns the value of evidence that is shown: a run in full, unless it is too long to be shown whole.
func inFull(shown string, e task.Evidence) string {
	if r, ok := proven.Parse(e.Value); ok && r.Words() == shown {
		return r.InFull()
	}
	return shown
}

// stale returns a mark if the evidence is a run whose files have changed since.
func stale(f *frame.Factory, e task.Evidence, status task.Status) string {
	r, ok := proven.Parse(e.Value)
	if !ok || !f.Staleness().Of(r, status) {
		return ""
	}
	return words.Either(status.Closed(), " (stale: the files it ran on are in no commit here)", " (stale: the files have changed since)")
}
