package wire

import (
	"tasker/internal/fault"
	"tasker/internal/task"
)

// Failure is an error as it travels: the one shape of every route, and of `--json` on standard error. Only a refusal has
// a Reason.
type Failure struct {
	Error   string   `json:"error"`
	Reason  string   `json:"reason,omitzero"`
	Message string   `json:"message"`
	Missing []string `json:"missing"`
	Hint    task.Opt `json:"hint"`
}

// FailureOf returns what an error looks like to a client.
func FailureOf(err error) Failure {
	e := fault.Of(err)
	return Failure{
		Error: e.Kind.Code(), Reason: e.Kind.Reason(),
		Message: e.Message, Missing: e.Missing, Hint: task.Opt(e.Hint),
	}
}

// Fault returns the error that was sent.
func (f Failure) Fault() *fault.Error {
	return &fault.Error{Kind: fault.KindOf(f.Error, f.Reason), Message: f.Message, Missing: f.Missing, Hint: string(f.Hint)}
}
