package postgres

import (
	"context"
	"net"
	"time"
)

const closePatience = 5 * time.Second

// dial notices a peer that is gone within half a minute, not within hours.
func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3,
	}}
	return d.DialContext(ctx, network, addr)
}
