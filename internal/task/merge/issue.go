package merge

import "tasker/internal/text/words"

// Issue is an issue as its tracker describes it. All of its texts were written by others.
type Issue struct {
	Ref      string   `json:"ref"`
	Updated  string   `json:"updated"` // by the tracker's clock, in a form that sorts
	Closed   bool     `json:"closed"`
	Values   Values   `json:"values"` // lacks the fields that the tracker's answer leaves out; they stay as they were
	Warnings []string `json:"warnings,omitzero"`
}

// State returns the state of a binding to the issue.
func (i Issue) State() string { return words.Either(i.Closed, "closed", "open") }
