package admin

import (
	"context"
	"net"
	"time"

	"tasker/internal/cli/frame"
	"tasker/internal/core"
	"tasker/internal/core/admin"
	"tasker/internal/op"
	"tasker/internal/task"
)

// versionTime is how long a server may take to tell its version. Most often none is running, which is no fault.
const versionTime = time.Second

// otherVersion looks whether the server that TASKER_SERVE_PORT names, if one answers, is of another version than this program.
// Nothing else tells where the servers of a database are.
func otherVersion(ctx context.Context, f *frame.Factory) admin.Check {
	c := admin.Check{Name: checkServer, OK: true}
	port, host := f.Env("TASKER_SERVE_PORT"), f.Env("TASKER_SERVE_HOST")
	if port == "" {
		return c
	}
	url := "http://" + net.JoinHostPort(reached(host), port)
	server, err := f.Wiring.Dial(frame.Dialling{URL: url})
	if err != nil {
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	there, err := op.Version.Do(ctx, server, core.None{})
	if err != nil || there.Version == f.Wiring.Version {
		return c
	}
	c.Found = []string{"the server at " + url + " is version " + there.Version + ", and this program " + f.Wiring.Version}
	c.Fix = task.Opt("use the same on both sides, and start the server anew after an upgrade")
	return c
}
