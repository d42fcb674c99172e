package frame

import (
	"context"

	"github.com/spf13/cobra"

	"tasker/internal/op"
)

// Args reads what the arguments and flags of a command name: tasks, texts, the project. The first refusal stays, and nothing is
// read after it, so that a command fills the whole input of its operation and then asks once: CallWith and DoWith return the refusal.
type Args struct {
	Err error // the first refusal

	ctx  context.Context
	f    *Factory
	task string // that was named last
}

// Args returns what reads the arguments of a command.
func (f *Factory) Args(ctx context.Context) *Args { return &Args{ctx: ctx, f: f} }

// read takes a result of find, unless something was refused before.
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

// Fence is Factory.Fence, for the task that was named last.
func (a *Args) Fence(flag *int64) *int64 {
	return read(a, func() (*int64, error) { return a.f.Fence(a.ctx, flag, a.task) })
}

// Text is Factory.TextArg.
func (a *Args) Text(given string) string {
	return read(a, func() (string, error) { return a.f.TextArg(given) })
}

// Project is Factory.OneProject.
func (a *Args) Project() string {
	return read(a, func() (string, error) { return a.f.OneProject(a.ctx) })
}

// CallWith is Call with an input that was read from arguments.
func CallWith[In, Out any](a *Args, o op.Of[In, Out], in In) (out Out, err error) {
	if a.Err != nil {
		return out, a.Err
	}
	return Call(a.ctx, a.f, o, in)
}

// DoWith is Do with an input that was read from arguments.
func DoWith[In, Out any](a *Args, o op.Of[In, Out], in In, render func(*Factory, Out)) error {
	if a.Err != nil {
		return a.Err
	}
	return Do(a.ctx, a.f, o, in, render)
}

// OfProject returns a command that carries out an operation on the project that is named or assumed; in makes its input.
func OfProject[In, Out any](f *Factory, s Spec, o op.Of[In, Out], in func(slug string) In, render func(*Factory, Out)) *cobra.Command {
	s.Short = o.Summary
	return f.Command(s, func(ctx context.Context, f *Factory, _ []string) error {
		a := f.Args(ctx)
		return DoWith(a, o, in(a.Project()), render)
	})
}
