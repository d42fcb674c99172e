// Package ports finds ports of this machine that nothing listens on.
package ports

import (
	"context"
	"errors"
	"net"
	"strconv"
	"syscall"
)

// Free returns the first n ports from start to end that are not taken and that nothing listens on,
// or fewer if there are not enough. It tries to listen on each: on every address, and on the
// loopback ones, which may be in use by themselves.
func Free(ctx context.Context, start, end, n int, taken func(port int) bool) []int {
	var free []int
	for port := start; port <= end && len(free) < n && ctx.Err() == nil; port++ {
		if !taken(port) && idle(ctx, port) {
			free = append(free, port)
		}
	}
	return free
}

// idle reports whether a port can be listened on. An address that this machine does not have says
// nothing about the port.
func idle(ctx context.Context, port int) bool {
	var config net.ListenConfig
	for _, host := range []string{"", "127.0.0.1", "::1"} {
		l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			_ = l.Close()
		} else if host != "::1" || errors.Is(err, syscall.EADDRINUSE) {
			return false
		}
	}
	return true
}
