package app

import (
	"context"
	"time"

	"tasker/internal/httpapi"
	"tasker/internal/op"
	"tasker/internal/view"
	"tasker/internal/web"
)

// pages adds the routes of the web view to others.
func (a *App) pages(out map[string]httpapi.HandlerFunc) map[string]httpapi.HandlerFunc {
	routes := web.Routes(web.Options{
		Ops: op.NewLocal(a.Services), Newest: a.Services.Newest, Now: time.Now, Version: Version,
		Network: func(ctx context.Context, in view.NetworkIn) (*view.NetworkOut, error) {
			return view.Network(a.Services, ctx, in)
		},
		Timeline: func(ctx context.Context, in view.TimelineIn) (*view.TimelineOut, error) {
			return view.Timeline(a.Services, ctx, in)
		},
	})
	for pattern, h := range routes {
		out[pattern] = h
	}
	return out
}
