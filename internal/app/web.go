package app

import (
	"time"

	"tasker/internal/httpapi"
	"tasker/internal/op"
	"tasker/internal/web"
)

// pages adds the routes of the web view to others.
func (a *App) pages(out map[string]httpapi.HandlerFunc) map[string]httpapi.HandlerFunc {
	routes := web.Routes(web.Options{Ops: op.NewLocal(a.Services.All()...), Now: time.Now, Version: Version})
	for pattern, h := range routes {
		out[pattern] = h
	}
	return out
}
