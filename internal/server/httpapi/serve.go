package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"tasker/internal/fault"
	"tasker/internal/text/words"
)

// Limits of a connection. A route that needs longer to read (apply) extends its own; shapedConn limits how long an answer
// may take, piece by piece.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = time.Minute
	idleTimeout   = 2 * time.Minute
	headerBytes   = 64 << 10
	turnedAway    = 64 // how many clients may wait for the answer that there is no room
)

// CheckBinding refuses to listen beyond this machine where anybody could write, unless the user says that this is intended.
func CheckBinding(host string, guarded, open bool) error {
	if guarded || open || loopback(host) {
		return nil
	}
	return fault.Decline("--host %s lets every machine that reaches it write, without a token", host).
		WithHint("set TASKER_TOKEN, ask for sessions (auth.mode session), or confirm that this is intended: --open")
}

func loopback(host string) bool {
	host = normal(strings.Trim(host, "[]"))
	if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// CheckHost refuses a name that cannot appear in a Host header.
func CheckHost(name string) error {
	if name == "" || len(name) > 253 || strings.ContainsAny(name, ":/*@ \t\"\\?#[]") {
		return fault.Bad("%q is not the name of a host", words.Shown(name)).WithHint("a name alone, without scheme, port or *: tasker.example.org")
	}
	return nil
}

// Listeners are the addresses that one server listens on, which have the same port.
type Listeners []net.Listener

// Addr returns the first address, which is the one to print.
func (l Listeners) Addr() net.Addr { return l[0].Addr() }

// Close closes all of them.
func (l Listeners) Close() error {
	var errs []error
	for _, ln := range l {
		errs = append(errs, ln.Close())
	}
	return errors.Join(errs...)
}

// The loopback addresses. Clients that ask for localhost try either first.
const (
	loopback4 = "127.0.0.1"
	loopback6 = "::1"
)

// Listen binds the port. Without a host it listens on both loopback addresses, or on the first if the machine has no other.
func Listen(ctx context.Context, host string, port int) (Listeners, error) {
	if port < 0 || port > 65535 {
		return nil, fault.Bad("%d is not a port", port).WithHint("a number from 0 (any that is free) to 65535")
	}
	host = strings.Trim(host, "[]")
	if host != "" {
		ln, err := bind(ctx, host, port)
		return Listeners{ln}, err
	}
	const tries = 16 // with port 0: what is free on one address may be taken on the other
	for try := 1; ; try++ {
		out, err := onBoth(ctx, port)
		if err == nil || port != 0 || try == tries {
			return out, err
		}
	}
}

// onBoth binds one port on both loopback addresses.
func onBoth(ctx context.Context, port int) (Listeners, error) {
	first, err := bind(ctx, loopback4, port)
	if err != nil {
		return nil, err
	}
	at, ok := first.Addr().(*net.TCPAddr)
	if !ok {
		return Listeners{first}, nil
	}
	second, err := bind(ctx, loopback6, at.Port)
	if err == nil {
		return Listeners{first, second}, nil
	}
	probe, none := bind(ctx, loopback6, 0)
	if none != nil { // this machine has no such address
		return Listeners{first}, nil //nolint:nilerr // it listens on the other
	}
	_ = probe.Close()
	_ = first.Close()
	return nil, err
}

func bind(ctx context.Context, host string, port int) (net.Listener, error) {
	at := net.JoinHostPort(host, strconv.Itoa(port))
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", at)
	if err != nil {
		return nil, fault.Unready("cannot listen on %s: %v", at, cause(err)).
			WithHint("choose another with --port, or stop what listens there").WithCause(err)
	}
	return ln, nil
}

// cause returns the innermost error: the operating system's, without the address, which has been named already.
func cause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// Serve answers on all of ln until ctx ends; then it accepts nothing new, ends streams, gives running requests the time in Drain
// to finish, and stops. It returns nil if all of them finished.
func (s *Server) Serve(ctx context.Context, ln Listeners) error {
	base, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	srv := &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes:               headerBytes,
		DisableGeneralOptionsHandler: true, // OPTIONS * is answered in our format too
	}
	if s.opts.Log != nil {
		srv.ErrorLog = slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelWarn)
	}
	served, leaving := make(chan error, len(ln)), make(chan struct{}, turnedAway)
	for _, one := range ln {
		go func() { served <- srv.Serve(shaped{one, s.memory.conns, s.opts.Patience, leaving}) }()
	}
	select {
	case err := <-served:
		s.end()
		_ = srv.Close() // the other address too
		return fault.Unready("the server cannot listen any more: %v", err).WithHint("start it again").WithCause(err)
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.end()
	drain, cancel := context.WithTimeout(base, s.opts.Drain)
	defer cancel()
	err := srv.Shutdown(drain)
	if err != nil {
		abandon()
		_ = srv.Close() // cuts off what is still open
	}
	for range ln {
		<-served
	}
	if err != nil {
		return fault.Unready("requests were still running after %s and were cut off", s.opts.Drain).
			WithHint("a request without an answer may or may not have been carried out: send it again with its Idempotency-Key").WithCause(err)
	}
	return nil
}
