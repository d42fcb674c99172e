package frame

import (
	"context"

	"tasker/internal/cli/term"
	"tasker/internal/core/reading"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/remedy"
	"tasker/internal/task"
)

// Echo says on a terminal which task a write was about, and what takes it back: a person who typed a number, or nothing at all,
// sees whether it was the right one. Elsewhere it says nothing. Without a title the task is read; a call without a command is not
// named.
func (f *Factory) Echo(ctx context.Context, id task.ID, title string, undo remedy.Call) {
	if !f.Process.OutTTY || f.Flags.JSON || f.Flags.Quiet {
		return
	}
	if title == "" {
		if b, err := Call(ctx, f, op.Show, reading.ShowIn{Task: string(id)}); err == nil {
			title = b.Task.Title
		}
	}
	if title != "" {
		f.Out.Printf("  %s\n", title)
	}
	f.EchoUndo(undo)
}

// EchoUndo says on a terminal what takes a write back.
func (f *Factory) EchoUndo(undo remedy.Call) {
	if undo.Command == "" || !f.Process.OutTTY || f.Flags.JSON || f.Flags.Quiet {
		return
	}
	f.Out.Spans(term.Faint.Of("  undo: " + f.AsCommand(undo)))
	f.Out.Printf("\n")
}

// NoUndo is the call of what stays: notes, evidence and approvals are part of what happened.
var NoUndo = fault.Call{}
