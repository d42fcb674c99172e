package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/task"
	"tasker/internal/views/prime"
	"tasker/internal/views/reading"
	"tasker/internal/work"
)

// Options configures a tool server. Ops and Version are required.
type Options struct {
	Ops     op.Caller
	Version string // of the binary
	Project string // the project to assume if a call names none; may be empty
	All     bool   // offer every operation that has a route, not only the loop's

	// Passing says that nobody can act under this name again once the client has left. What it still holds is then
	// given back: otherwise nobody could work on the task until the lease ends.
	Passing bool
	// Acting adds the actor to a call's context; client is the name that the client gives itself. Nil: the context already
	// has it.
	Acting func(ctx context.Context, client string) (context.Context, error)
	// Stale returns which evidence of a task is stale, if the server is in the work tree, without what a refusal has among what
	// is missing. Nil: nobody can tell.
	Stale func(b *bundle.Bundle, missing []string) []fault.Text
	// Carried returns a move with what a command sends along with it, if the server is in the work tree: the files that were
	// changed since the claim, and the tree that a close sees. show reads a task as the caller does. Nil: nobody can tell.
	Carried func(ctx context.Context, in work.MoveIn, show func(context.Context, string) (*bundle.Bundle, error)) work.MoveIn
	// Log gets unexpected errors, and the caller learns only that there was one. Nil: the caller sees the error, as on
	// the command line.
	Log *slog.Logger
}

// Server offers the operations as tools.
type Server struct {
	opts   Options
	tools  []*tool
	client atomic.Value // the name that the client gave last, for what is done when it has left
}

// New returns a server. A schema that cannot be made is a bug in the program.
func New(opts Options) (*Server, error) {
	tools, err := offered(opts.All)
	return &Server{opts: opts, tools: tools}, err
}

// Serve speaks the protocol on a pair of streams until the client leaves or ctx ends. One client is one worker: the
// fences of its claims are kept while it is connected.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	from, to := stream(in, out, ctx.Done())
	held := newHolds()
	err := s.protocol(held).Run(ctx, &sdk.IOTransport{Reader: from, Writer: to, MaxLineLength: -1}) // stream bounds lines
	if s.opts.Passing {
		s.giveBack(ctx, held)
	}
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil //nolint:nilerr // stopped, or the client has left: both are normal ends
	}
	if err != nil {
		return fault.New(fault.Internal, "the streams of the tools cannot be used: %v", err).WithCause(err)
	}
	return nil
}

// protocol returns an SDK server with our tools. Without holds, claims are looked up.
func (s *Server) protocol(held *holds) *sdk.Server {
	p := sdk.NewServer(&sdk.Implementation{Name: "tasker", Title: "Tasker", Version: s.opts.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // the list never changes
	})
	order := map[string]int{}
	for i, t := range s.tools {
		order[t.listed.Name] = i
		p.AddTool(t.listed, s.handler(t, held))
	}
	p.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			res, err := next(ctx, method, req)
			if err != nil {
				return res, err
			}
			switch res := res.(type) {
			case *sdk.ListToolsResult: // the SDK lists them by name; we list them in the order in which they are needed
				slices.SortFunc(res.Tools, func(a, b *sdk.Tool) int { return cmp.Compare(order[a.Name], order[b.Name]) })
			case *sdk.InitializeResult:
				res.Instructions += s.standing(ctx, clientOf(req))
			case *sdk.DiscoverResult:
				res.Instructions += s.standing(ctx, clientOf(req))
			}
			return res, nil
		}
	})
	return p
}

// clientOf returns the name that the client of a request gives itself, or "".
func clientOf(req sdk.Request) string {
	if r, ok := req.(interface{ ClientInfo() *sdk.Implementation }); ok && r.ClientInfo() != nil {
		return r.ClientInfo().Name
	}
	return ""
}

// inSession returns the context of a call with the session that the client says it is in: Codex has several in one process.
func inSession(ctx context.Context, meta sdk.Meta) context.Context {
	if id, _ := meta["threadId"].(string); id != "" {
		who := core.CallerOf(ctx)
		who.Session.Session = task.Digest("session", id)
		return core.WithCaller(ctx, who)
	}
	return ctx
}

// standing returns the short manual for a new client: who it is, what it holds and how the project stands. If that is
// not available now, the tools still work.
func (s *Server) standing(ctx context.Context, client string) string {
	ctx, err := s.acting(ctx, client)
	if err != nil {
		return ""
	}
	text, err := op.Prime.Do(ctx, s.opts.Ops, reading.PrimeIn{Project: s.opts.Project, Short: true, Face: string(prime.Tools)})
	if err != nil {
		return ""
	}
	return "\n\n" + string(text)
}

// acting returns the context of a call, with the actor.
func (s *Server) acting(ctx context.Context, client string) (context.Context, error) {
	if s.opts.Acting != nil {
		var err error
		if ctx, err = s.opts.Acting(ctx, client); err != nil {
			return ctx, err
		}
		s.client.Store(client)
	}
	who := core.CallerOf(ctx)
	who.Via.Face = "mcp"
	return core.WithCaller(ctx, who), nil
}
