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
	address string      // of the server that answered
	mute    atomic.Bool // a commit is on its way: nothing may ask the server to cancel it
}

// errMute is why no cancel request is sent.
var errMute = errors.New("a commit is not canceled")

// routeOf returns the route that prepare stored.
func routeOf(c *pgconn.PgConn) *route { return c.CustomData()["tasker route"].(*route) }

// prepare gives a new connection its route. When the driver abandons a connection, it asks the server to cancel what runs
// there. It must not do so during a commit: PostgreSQL would end the wait for the standby, keep the change, and show it to
// everybody, although no standby may have it.
func (e *Engine) prepare(_ context.Context, config *pgx.ConnConfig) error {
	r := &route{}
	dials := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if r.mute.Load() {
			return nil, errMute
		}
		conn, err := dials(ctx, network, address)
		if err == nil && r.address == "" {
			r.address = address
		}
		return conn, err
	}
	config.AfterConnect = func(_ context.Context, c *pgconn.PgConn) error {
		c.CustomData()["tasker route"] = r
		return nil
	}
	return nil
}
