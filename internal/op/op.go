// Package op is the table of operations: each is declared once, with its name, command, route and tool, and bound to
// its function in the core. HTTP, OpenAPI, the client, the tools and the pages are derived from it, so nothing else
// knows both a route and a function.
//
//   - table.go declares every operation: bind(name, summary, command, function, options…).
//   - route, example, maxBody and tool are the options; tool.go describes operations as tools.
//   - An Of is an operation with its types: op.Claim.Do(ctx, caller, in) carries it out through a Caller, which is Local
//     in the process that has the database, and a client anywhere else.
//   - An operation without a route has no tool either; one without a command is a read that only pages use, or a part of
//     a command. Features that run where the database is, such as a sync or a workspace, call their own service instead.
//
// Package wire defines how inputs and outputs are transmitted.
package op

import (
	"context"
	"fmt"
	"path"
	"reflect"

	"tasker/internal/core"
	"tasker/internal/op/wire"
)

// Op is one operation: what its callers see of it, and the function that carries it out.
type Op struct {
	wire.Endpoint
	Tool Tool

	// call runs the operation's function: service is a value of the type service, and in one of the type In.
	call    func(ctx context.Context, service, in any) (Reply, error)
	service reflect.Type // the type whose method carries it out
}

// Of is an operation with the types of its input and output. Op is not embedded, and the methods are thin: each of a
// hundred operations has a copy of what is generic, and packages that use one compile their own.
type Of[In, Out any] struct{ Op *Op }

// Caller carries out operations: Local in this process, a client through a server.
type Caller interface {
	// Call takes a value of o.In and replies with one of o.Out.
	Call(ctx context.Context, o *Op, in any) (Reply, error)
}

// Reply is the answer of an operation, with the news for its caller.
type Reply struct {
	Out  any
	News core.News // empty unless core.Caller.Listens
}

// Do carries out the operation.
func (o Of[In, Out]) Do(ctx context.Context, c Caller, in In) (Out, error) {
	r, err := o.Op.through(ctx, c, in)
	out, _ := r.Out.(Out)
	return out, err
}

// DoListening is Do with the news that comes with the answer.
func (o Of[In, Out]) DoListening(ctx context.Context, c Caller, in In) (Out, core.News, error) {
	r, err := o.Op.through(core.Listens(ctx), c, in)
	out, _ := r.Out.(Out)
	return out, r.News, err
}

// through carries out the operation. An answer that comes without an error is of the operation's type.
func (o *Op) through(ctx context.Context, c Caller, in any) (Reply, error) {
	r, err := c.Call(ctx, o, in)
	if err != nil {
		return Reply{}, err
	}
	if reflect.TypeOf(r.Out) != o.Out {
		return Reply{}, fmt.Errorf("operation %s answered %T", o.Name, r.Out)
	}
	return r, nil
}

// Through returns the operation as a function that a caller carries out, for code that does not know the table.
func (o Of[In, Out]) Through(c Caller) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) { return o.Do(ctx, c, in) }
}

// Local carries out operations on the services of this process. Make one with NewLocal.
type Local struct {
	services map[reflect.Type]any // the instances whose methods are operations, by their type
}

// NewLocal returns a caller of the operations that are methods of these services, each given as a pointer.
func NewLocal(instances ...any) Local {
	l := Local{services: make(map[reflect.Type]any, len(instances))}
	for _, s := range instances {
		l.services[reflect.TypeOf(s)] = s
	}
	return l
}

// Serves reports whether the operation is a method of one of the services.
func (l Local) Serves(o *Op) bool { return l.services[o.service] != nil }

// Call runs the operation's function.
func (l Local) Call(ctx context.Context, o *Op, in any) (Reply, error) {
	if reflect.TypeOf(in) != o.In {
		return Reply{}, fmt.Errorf("operation %s was given %T", o.Name, in)
	}
	service := l.services[o.service]
	if service == nil {
		return Reply{}, fmt.Errorf("operation %s needs a %s, and there is none", o.Name, o.service)
	}
	return o.call(core.Doing(ctx, o.Name), service, in)
}

// Table lists every operation in the order of the reference.
var Table []*Op

type option func(*Op)

// route gives the operation its route. Without one it is available only in the process that has the database.
func route(method, path string, status int) option {
	return func(o *Op) { o.Method, o.Path, o.Status = method, path, status }
}

// example sets an example body of the operation's route, for the documentation.
func example(body string) option { return func(o *Op) { o.Example = body } }

// tells marks a read whose answer includes news.
func tells(o *Op) { o.Tells = true }

// document marks an operation whose body is a plan or the definition of a task.
func document(o *Op) { o.Document = true }

func maxBody(n int64) option { return func(o *Op) { o.MaxBody = n } }

// method turns a function outside its service's package into the form of that service's methods.
func method[S, In, Out any](fn func(context.Context, S, In) (Out, error)) func(S, context.Context, In) (Out, error) {
	return func(s S, ctx context.Context, in In) (Out, error) { return fn(ctx, s, in) }
}

// bind declares an operation, a method of the service S, which is a pointer, and adds it to the table.
func bind[S, In, Out any](name, summary, command string, fn func(S, context.Context, In) (Out, error), opts ...option) Of[In, Out] {
	o := declare(name, summary, command, reflect.TypeFor[S](), reflect.TypeFor[In](), reflect.TypeFor[Out](), opts)
	o.call = func(ctx context.Context, service, in any) (Reply, error) {
		s, news := listening(ctx, service.(S))
		out, err := fn(s, ctx, in.(In))
		return Reply{out, *news}, err
	}
	return Of[In, Out]{o}
}

// listener is a service whose operations have news for their callers.
type listener[S any] interface {
	Listening() (*core.Env, *core.News)
	In(env *core.Env) S
}

// listening returns the service for one call, and where the news of that call will be.
func listening[S any](ctx context.Context, s S) (S, *core.News) {
	l, ok := any(s).(listener[S])
	if !ok || !core.CallerOf(ctx).Listens {
		return s, &core.News{}
	}
	env, news := l.Listening()
	return l.In(env), news
}

// declare is the part of bind that is the same for all types: every start of the program pays for each copy of bind.
func declare(name, summary, command string, service, in, out reflect.Type, opts []option) *Op {
	said := "tasker_" + name + summary + "."
	after := len(said) - len(summary) - 1
	o := &Op{
		Endpoint: wire.Endpoint{
			Name: name, Summary: summary, Command: command,
			In: in, Out: out, Tag: tagOf(path.Base(service.Elem().PkgPath())),
		},
		Tool:    Tool{Name: said[:after], About: said[after:]},
		service: service,
	}
	for _, opt := range opts {
		opt(o)
	}
	Table = append(Table, o)
	return o
}
