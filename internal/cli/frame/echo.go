package frame

import (
	"context"
	"strconv"

	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/fault/hint"
	"tasker/internal/op"
	"tasker/internal/reading"
	"tasker/internal/task"
)

// Echo says on a terminal which task a write was about, and what takes it back: a person who typed a number, or nothing at all,
// sees whether it was the right one. Elsewhere it says nothing. Without a title the task is read; a call without a command is not
// named.
func (f *Factory) Echo(ctx context.Context, id task.ID, title string, undo hint.Call) {
	if !f.echoes() {
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

// echoes reports whether a person at a terminal reads what a command did.
func (f *Factory) echoes() bool { return f.Process.OutTTY && !f.Flags.JSON && !f.Flags.Quiet }

// EchoUndo says on a terminal what takes a write back.
func (f *Factory) EchoUndo(undo hint.Call) {
	if undo.Command == "" || !f.echoes() {
		return
	}
	f.Out.Line(term.Faint.Of("  undo: " + f.AsCommand(undo)))
}

// EchoTaken says on a terminal which command takes back what the caller wrote last in a project, or to one of its tasks: its
// newest batch there. Through a server nothing is said, for undo works on the database itself.
func EchoTaken(ctx context.Context, f *Factory, project string, id task.ID) {
	if !f.echoes() || f.ServerURL() != "" {
		return
	}
	me, err := Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: project})
	if err != nil {
		return // the write is done, and what it was is said
	}
	newest, err := Call(ctx, f, op.Events, reading.EventsIn{Project: project, Task: string(id), By: me.Full(), Limit: new(1)})
	if err == nil && len(newest) > 0 {
		f.EchoUndo(hint.Command("undo " + strconv.FormatInt(newest[0].Batch, 10)))
	}
}

// EchoStays says on a terminal which task a write was about, and that nothing takes it back.
func EchoStays(ctx context.Context, f *Factory, id task.ID) {
	if f.echoes() {
		f.Echo(ctx, id, "", NoUndo)
		f.Out.Line(term.Faint.Of("  undo: none, it stays in the log"))
	}
}

// NoUndo is the call of what needs none, or has it said elsewhere.
var NoUndo = fault.Call{}
