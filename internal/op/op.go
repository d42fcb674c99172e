// Package op is the table of operations: each is declared once, with its name, command, route and tool, and bound
// to its function in the core. HTTP, OpenAPI, the client and the tools are derived from it, so nothing else knows
// both a route and a function.
package op

import (
	"context"
	"fmt"
	"reflect"

	"tasker/internal/core"
)

// Op is one operation.
type Op struct {
	Name    string // unique; the tool is tasker_<name>
	Summary string // one line, for help, OpenAPI and tools
	Command string // how the command is called
	Method  string // GET or POST; empty for an operation that has no route and no tool
	Path    string // under /v1, with {id} or {slug}
	Status  int    // of success
	In, Out reflect.Type
	MaxBody int64 // 0: the common bound

	call    func(context.Context, *core.Services, any) (any, error)
	binding binding
}

// Of is an operation with the types of its input and output.
type Of[In, Out any] struct{ *Op }

// Caller carries out operations: Local in this process, a client through a server.
type Caller interface {
	// Call takes a value of o.In and answers one of o.Out.
	Call(ctx context.Context, o *Op, in any) (any, error)
}

// Do carries out the operation.
func (o Of[In, Out]) Do(ctx context.Context, c Caller, in In) (Out, error) {
	var zero Out
	out, err := c.Call(ctx, o.Op, in)
	if err != nil {
		return zero, err
	}
	typed, ok := out.(Out)
	if !ok {
		return zero, fmt.Errorf("operation %s answered %T", o.Name, out)
	}
	return typed, nil
}

// Local carries out operations on the services of this process.
type Local struct{ Services *core.Services }

// Call runs the operation's function.
func (l Local) Call(ctx context.Context, o *Op, in any) (any, error) {
	return o.call(ctx, l.Services, in)
}

// Table lists every operation in the order of the reference.
var Table []*Op

type option func(*Op)

// route gives the operation its route; without one it is command-only.
func route(method, path string, status int) option {
	return func(o *Op) { o.Method, o.Path, o.Status = method, path, status }
}

func maxBody(n int64) option { return func(o *Op) { o.MaxBody = n } }

// bind declares an operation and adds it to the table.
func bind[In, Out any](name, summary, command string, fn func(*core.Services, context.Context, In) (Out, error), opts ...option) Of[In, Out] {
	o := &Op{
		Name: name, Summary: summary, Command: command,
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		call: func(ctx context.Context, s *core.Services, in any) (any, error) {
			typed, ok := in.(In)
			if !ok {
				return nil, fmt.Errorf("operation %s was given %T", name, in)
			}
			return fn(s, ctx, typed)
		},
	}
	for _, opt := range opts {
		opt(o)
	}
	Table = append(Table, o)
	return Of[In, Out]{o}
}
