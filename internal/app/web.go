package app

import (
	"time"

	"tasker/internal/op"
	"tasker/internal/server/httpapi"
	"tasker/internal/server/web"
)

// pages adds the routes of the web view to others, and returns the not-found page.
func (a *App) pages(out map[string]httpapi.HandlerFunc) (all map[string]httpapi.HandlerFunc, lost httpapi.HandlerFunc) {
	routes := web.Routes(web.Options{Ops: op.NewLocal(a.Services.All()...), Now: time.Now, Version: Version})
	for pattern, h := range routes {
		if pattern != web.Lost {
			out[pattern] = h
		}
	}
	return out, routes[web.Lost]
}
