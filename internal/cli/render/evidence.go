package render

import (
	"tasker/internal/bundle"
	"tasker/internal/cli/frame"
	"tasker/internal/task"
	"tasker/internal/task/proven"
	"tasker/internal/text/words"
	places "tasker/internal/workspace"
)

// Evidence returns the value of evidence of a closed task in words: a run as one line, marked if no commit has its files.
// A command that found the run elsewhere recorded where, and that counts here too.
func Evidence(f *frame.Factory, e task.Evidence, on *places.FoundOn) string {
	r, ok := proven.Parse(e.Value)
	if !ok {
		return e.Value
	}
	return r.InFull() + gone(f, r, on)
}

// inFull returns the value of evidence that is shown: a run in full, unless it is too long to be shown whole.
func inFull(shown string, e task.Evidence) string {
	if r, ok := proven.Parse(e.Value); ok && r.Words() == shown {
		return r.InFull()
	}
	return shown
}

// stale returns a mark if the evidence is a run, and files of the task's own have changed since; for a closed task, if no commit
// has the files.
func stale(f *frame.Factory, b *bundle.Bundle, e task.Evidence) string {
	r, ok := proven.Parse(e.Value)
	if !ok {
		return ""
	}
	if b.Task.Status.Closed() {
		return gone(f, r, b.FoundOn)
	}
	if files, yes := f.Staleness().Of(b, r); yes {
		return " (" + proven.StaleWords(files) + ")"
	}
	return ""
}

func gone(f *frame.Factory, r proven.Run, on *places.FoundOn) string {
	if on != nil && on.Branch != "" {
		return ""
	}
	return words.When(f.Staleness().Gone(r), " (stale: the files it ran on are in no commit here)")
}
