package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tasker/internal/agent/prime"
	"tasker/internal/bundle"
	"tasker/internal/core"
	"tasker/internal/fault"
	"tasker/internal/op"
	"tasker/internal/reading"
)

// Options is what a tool server is made of. Ops and Version are required.
type Options struct {
	Ops     op.Caller
	Version string // of the binary
	Project string // the project to assume where a call names none; may be empty
	All     bool   // offer every operation that has a route, not only those of the loop

	// Passing says that nobody can act under this name again once the client has gone. What it still holds is given
	// back then: otherwise the task would be nobody's until the lease ends.
	Passing bool
	// Acting completes a call's context by who acts. Nil: the context says it already.
	Acting func(context.Context) context.Context
	// Stale tells which evidence of a task is stale, where the server is in the work tree. Nil: nobody can tell.
	Stale func(*bundle.Bundle) []fault.Text
	// Log gets what went wrong unexpectedly, and the caller is told no more than that it did. Nil: the caller is
	// told, as on the command line.
	Log *slog.Logger
}

// Server is the operations as tools.
type Server struct {
	opts  Options
	tools []*tool
}

// New makes a server. A schema that cannot be made is a mistake in the program.
func New(opts Options) (*Server, error) {
	tools, err := offered(opts.All)
	if err != nil {
		return nil, err
	}
	return &Server{opts: opts, tools: tools}, nil
}

// Serve speaks the protocol on a pair of streams until the client goes or ctx ends. One client is one worker: the
// fences of what it claims are kept for as long as it is there.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	from, to := stream(in, out, ctx.Done())
	held := newHolds()
	err := s.protocol(held).Run(ctx, &sdk.IOTransport{Reader: from, Writer: to, MaxLineLength: -1}) // bounded in line
	if s.opts.Passing {
		s.giveBack(ctx, held)
	}
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil //nolint:nilerr // told to stop, or the client has gone: both are how it ends
	}
	if err != nil {
		return fault.New(fault.Internal, "the streams of the tools cannot be used: %v", err).WithCause(err)
	}
	return nil
}

// protocol returns a server of the SDK with our tools. Without holds, claims are looked up.
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
			case *sdk.ListToolsResult: // the SDK lists them by name, and we in the order in which they are needed
				slices.SortFunc(res.Tools, func(a, b *sdk.Tool) int { return cmp.Compare(order[a.Name], order[b.Name]) })
			case *sdk.InitializeResult:
				res.Instructions += s.standing(ctx)
			case *sdk.DiscoverResult:
				res.Instructions += s.standing(ctx)
			}
			return res, nil
		}
	})
	return p
}

// standing tells a new client who it is, what it holds and how the project stands: the short manual. Where that cannot
// be told now, the tools still can.
func (s *Server) standing(ctx context.Context) string {
	text, err := op.Prime.Do(s.acting(ctx), s.opts.Ops, reading.PrimeIn{Project: s.opts.Project, Short: true, Face: string(prime.Tools)})
	if err != nil {
		return ""
	}
	return "\n\n" + string(text)
}

// acting returns the context of a call, with who acts.
func (s *Server) acting(ctx context.Context) context.Context {
	if s.opts.Acting != nil {
		ctx = s.opts.Acting(ctx)
	}
	who := core.CallerOf(ctx)
	who.Via.Face = "mcp"
	return core.WithCaller(ctx, who)
}
