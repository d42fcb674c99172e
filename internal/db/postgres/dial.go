package postgres

import (
	"context"
	"net"
	"time"
)

const closePatience = 5 * time.Second

// vanished is the time after which a peer that does not answer is considered gone.
const vanished = 30 * time.Second

// dial notices within half a minute that a peer is gone, rather than within a quarter of an hour.
func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: vanished / 2, Interval: vanished / 6, Count: 3},
		Control:         giveUp,
	}
	return d.DialContext(ctx, network, addr)
}
