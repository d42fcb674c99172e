package wire

import (
	"tasker/internal/fault"
	"tasker/internal/task"
)

// Failure is an error as it is sent: the one shape of every route, and of `--json` on standard error. Only a refusal
// has a Reason.
type Failure struct {
	Error   string   `json:"error"`
	Reason  string   `json:"reason,omitzero"`
	Message string   `json:"message"`
	Missing []string `json:"missing"`
	Hint    task.Opt `json:"hint"`

	Recorded []string `json:"recorded,omitzero"` // only for a declined move: what came with it and was recorded
	Version  int64    `json:"version,omitzero"`  // with Recorded: the task's version now
}

// FailureOf returns an error as a client sees it, with its hint in the language of a face; say words its calls.
func FailureOf(err error, say func(fault.Call) string) Failure {
	e := fault.Of(err)
	return Failure{
		Error: e.Kind.Code(), Reason: e.Kind.Reason(),
		Message: e.Message, Missing: e.Missing, Hint: task.Opt(e.HintIn(say)), Recorded: e.Recorded, Version: e.Version,
	}
}

// CommandHeader marks a request from the command line.
const CommandHeader = "Tasker-Command"

// HintsHeader asks a server for the parts of hints: our own client shows them in the language of its face.
const HintsHeader = "Tasker-Hints"

// Parted is a Failure with the parts of its hint, for a client that asks for them.
type Parted struct {
	Failure
	Parts fault.Text `json:"hintParts,omitzero"`
}

// Fault returns the error that was sent.
func (f Parted) Fault() *fault.Error {
	e := &fault.Error{
		Kind: fault.KindOf(f.Error, f.Reason), Message: f.Message, Missing: f.Missing, Hint: string(f.Hint), Recorded: f.Recorded, Version: f.Version,
	}
	if len(f.Parts) > 0 {
		return e.WithParts(f.Parts)
	}
	return e
}
