package postgres

import (
	"context"
	"net"
	"time"
)

const (
	closePatience = 5 * time.Second
	hungPatience  = 2 * time.Second // for what became of a commit, where the wait was long already
)

// vanished is after what time a peer that answers nothing is taken for gone.
const vanished = 30 * time.Second

// dial notices a peer that is gone within half a minute, not within a quarter of an hour.
func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: vanished / 2, Interval: vanished / 6, Count: 3},
		Control:         giveUp,
	}
	return d.DialContext(ctx, network, addr)
}
