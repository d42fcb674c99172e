package frame

import (
	"context"
	"strconv"

	"tasker/internal/cli/term"
	"tasker/internal/fault"
	"tasker/internal/hint"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/reading"
)

// Echo prints, on a terminal, the task that a write changed and the command that undoes it: a person who typed a
// number, or nothing at all, sees whether it was the right task. Elsewhere it prints nothing. Without a title it reads
// the task; a call without a command is not printed.
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

// echoes reports whether a person reads the output on a terminal.
func (f *Factory) echoes() bool { return f.Process.OutTTY && !f.Flags.JSON && !f.Flags.Quiet }

// EchoUndo prints, on a terminal, the command that undoes a write.
func (f *Factory) EchoUndo(undo hint.Call) {
	if undo.Command == "" || !f.echoes() {
		return
	}
	f.Out.Line(term.Faint.Of("  undo: " + f.AsCommand(undo)))
}

// EchoTaken prints, on a terminal, the command that undoes the caller's newest batch in a project or on one of its
// tasks. It prints nothing when a server is used, because undo works on the database itself.
func EchoTaken(ctx context.Context, f *Factory, project string, id task.ID) {
	if !f.echoes() || f.ServerURL() != "" {
		return
	}
	me, err := Call(ctx, f, op.Whoami, reading.WhoamiIn{Project: project})
	if err != nil {
		return // the write is done and reported
	}
	newest, err := Call(ctx, f, op.Events, reading.EventsIn{Project: project, Task: string(id), By: me.Full(), Limit: new(1)})
	if err == nil && len(newest) > 0 {
		f.EchoUndo(hint.Command("undo " + strconv.FormatInt(newest[0].Batch, 10)))
	}
}

// EchoStays prints, on a terminal, the task that a write changed, and that it cannot be undone.
func EchoStays(ctx context.Context, f *Factory, id task.ID) {
	if f.echoes() {
		f.Echo(ctx, id, "", NoUndo)
		f.Out.Line(term.Faint.Of("  undo: none, it stays in the log"))
	}
}

// NoUndo is the call for a write that needs no undo, or whose undo is printed elsewhere.
var NoUndo = fault.Call{}
