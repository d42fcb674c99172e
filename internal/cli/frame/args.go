package frame

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"tasker/internal/core"
	"tasker/internal/op"
)

// Args reads tasks, texts and the project from the arguments and flags of a command. It keeps the first refusal and
// reads nothing after it, so that a command can fill the whole input of its operation and check once: CallWith and
// DoWith return the refusal.
type Args struct {
	Err error // the first refusal

	ctx  context.Context
	f    *Factory
	task string // the task named last
}

// Args returns a reader of the command's arguments.
func (f *Factory) Args(ctx context.Context) *Args { return &Args{ctx: ctx, f: f} }

// read returns the result of find, unless an earlier read was refused.
func read[T any](a *Args, find func() (T, error)) (out T) {
	if a.Err == nil {
		out, a.Err = find()
	}
	return out
}

// Task is Factory.TaskArg.
func (a *Args) Task(name string) string {
	a.task = read(a, func() (string, error) { return a.f.TaskArg(a.ctx, name) })
	return a.task
}

// TaskToRead is Factory.TaskToRead.
func (a *Args) TaskToRead(name string) string {
	return read(a, func() (string, error) { return a.f.TaskToRead(a.ctx, name) })
}

// IDToRead is Factory.TaskIDToRead.
func (a *Args) IDToRead(name string) string {
	return read(a, func() (string, error) { return a.f.TaskIDToRead(a.ctx, name) })
}

// Fence is Factory.Fence, for the task named last.
func (a *Args) Fence(flag *int64) *int64 {
	return read(a, func() (*int64, error) { return a.f.Fence(a.ctx, flag, a.task) })
}

// Text is Factory.TextArg.
func (a *Args) Text(given string) string {
	return read(a, func() (string, error) { return a.f.TextArg(given) })
}

// Given is Factory.Given.
func (a *Args) Given(text *string) *string {
	return read(a, func() (*string, error) { return a.f.Given(text) })
}

// Reference is Reference.
func (a *Args) Reference(name string) string {
	return read(a, func() (string, error) { return Reference(a.ctx, a.f, name) })
}

// Number returns the id of a record, such as a conflict. It refuses a text that is not a positive number with otherwise.
func (a *Args) Number(text string, otherwise error) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		a.Refuse(otherwise)
	}
	return n
}

// Refuse keeps a refusal, unless there was an earlier one.
func (a *Args) Refuse(err error) { a.Err = cmp.Or(a.Err, err) }

// Project is Factory.OneProject.
func (a *Args) Project() string {
	return read(a, func() (string, error) { return a.f.OneProject(a.ctx) })
}

// ProjectToWrite is Factory.ProjectToWrite.
func (a *Args) ProjectToWrite() string {
	return read(a, func() (string, error) { return a.f.ProjectToWrite(a.ctx) })
}

// CallWith is Call with an input read from arguments.
func CallWith[In, Out any](a *Args, o op.Of[In, Out], in In) (out Out, err error) {
	if a.Err != nil {
		return out, a.Err
	}
	return Call(a.ctx, a.f, o, in)
}

// DoWith is Do with an input read from arguments.
func DoWith[In, Out any](a *Args, o op.Of[In, Out], in In, render func(*Factory, Out)) error {
	out, err := CallWith(a, o, in)
	return a.f.Answered(err, out, func() { render(a.f, out) })
}

// Nothing is the input of an operation that takes none.
func Nothing(*Args, []string) core.None { return core.None{} }

// Operation returns a command that carries out one operation: in makes its input from the arguments.
func Operation[In, Out any](f *Factory, s Spec, o op.Of[In, Out], in func(a *Args, args []string) In, render func(*Factory, Out)) *cobra.Command {
	s.Short = o.Op.Summary
	return f.Command(s, func(ctx context.Context, f *Factory, args []string) error {
		a := f.Args(ctx)
		return DoWith(a, o, in(a, args), render)
	})
}
