package postgres

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// route is how a connection reaches its server.
type route struct {
	host string      // that answered, as the URL names it
	made bool        // the connection is the session's from here on
	told bool        // what is the matter with the host is known
	mute atomic.Bool // nothing may ask the server to cancel what runs there: a commit is on its way, or the server hangs
}

// errMute is why no cancel request is sent.
var errMute = errors.New("it is not canceled")

// routeOf returns the route that prepare stored.
func routeOf(c *pgconn.PgConn) *route { return c.CustomData()["tasker route"].(*route) }

// prepare gives a new connection its route, on which the host that worked last comes first, and notes what is the matter
// with each host that fails.
//
// When the driver abandons a connection, it asks the server to cancel what runs there. It must not do so during a commit:
// PostgreSQL would end the wait for the standby, keep the change, and show it to everybody, although no standby may have it.
func (e *Engine) prepare(ctx context.Context, config *pgx.ConnConfig) error {
	r := &route{}
	fails := func(host, what string) {
		if !errors.Is(ctx.Err(), context.Canceled) { // it was not given the time
			e.hosts.fails(host, what)
		}
	}
	e.hosts.order(&config.Config)
	several := len(e.names()) > 1
	named := map[string]string{} // the host of an address
	lookup, dials, validate, onError := config.LookupFunc, config.DialFunc, config.ValidateConnect, config.OnPgError
	config.LookupFunc = func(ctx context.Context, host string) ([]string, error) {
		addresses, err := lookup(ctx, host)
		for _, address := range addresses {
			if named[address] == "" {
				named[address] = host
			}
		}
		if err != nil {
			for _, f := range append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port}}, config.Fallbacks...) {
				if f.Host == host {
					fails(nameOf(f.Host, f.Port), away)
				}
			}
		}
		return addresses, err
	}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		switch {
		case r.mute.Load():
			return nil, errMute
		case r.made:
			return dials(ctx, network, address)
		}
		r.host, r.told = hostAt(&config.Config, network, address, named), false
		conn, err := dials(ctx, network, address)
		if err != nil {
			fails(r.host, silence(err))
			return nil, err
		}
		return &line{Conn: conn, left: func(heard bool) {
			switch {
			case r.made || r.told:
			case heard:
				fails(r.host, other)
			default:
				fails(r.host, silent)
			}
		}}, nil
	}
	if validate == nil && several {
		validate = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	if validate != nil {
		config.ValidateConnect = func(ctx context.Context, c *pgconn.PgConn) error {
			err := validate(ctx, c)
			if errors.Is(err, pgconn.ErrStandbyConnection) || errors.Is(err, pgconn.ErrReadOnlyConnection) {
				r.told = true
				fails(r.host, standby)
			}
			return err
		}
	}
	config.OnPgError = func(c *pgconn.PgConn, err *pgconn.PgError) bool {
		if !r.made {
			r.told = true
			fails(r.host, "says: "+err.Message)
		}
		return onError(c, err)
	}
	config.AfterConnect = func(_ context.Context, c *pgconn.PgConn) error {
		c.CustomData()["tasker route"] = r
		r.made = true
		e.hosts.works(r.host)
		return nil
	}
	return nil
}

// hostAt returns the host of the URL that has an address.
func hostAt(config *pgconn.Config, network, address string, named map[string]string) string {
	for _, f := range append([]*pgconn.FallbackConfig{{Host: config.Host, Port: config.Port}}, config.Fallbacks...) {
		if n, a := pgconn.NetworkAddress(f.Host, f.Port); n == network && a == address {
			return nameOf(f.Host, f.Port)
		}
	}
	if ip, port, err := net.SplitHostPort(address); err == nil && named[ip] != "" {
		return named[ip] + ":" + port
	}
	return address
}

// line is a network connection that notices whether its server ever said anything.
type line struct {
	net.Conn
	heard atomic.Bool
	left  func(heard bool) // called when it is closed
}

func (l *line) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	if n > 0 && !l.heard.Load() {
		l.heard.Store(true)
	}
	return n, err
}

func (l *line) Close() error {
	l.left(l.heard.Load())
	return l.Conn.Close()
}
