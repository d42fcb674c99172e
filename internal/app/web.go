package app

import (
	"context"
	"time"

	"tasker/internal/core/picture"
	"tasker/internal/httpapi"
	"tasker/internal/op"
	"tasker/internal/web"
)

// pages adds the routes of the web view to others.
func (a *App) pages(out map[string]httpapi.HandlerFunc) map[string]httpapi.HandlerFunc {
	routes := web.Routes(web.Options{
		Ops: op.NewLocal(a.Services.All()...), Newest: a.Services.Reading.Newest, Now: time.Now, Version: Version,
		Network: func(ctx context.Context, in picture.NetworkIn) (*picture.NetworkOut, error) {
			return a.Services.Picture.Network(ctx, in)
		},
		Timeline: func(ctx context.Context, in picture.TimelineIn) (*picture.TimelineOut, error) {
			return a.Services.Picture.Timeline(ctx, in)
		},
	})
	for pattern, h := range routes {
		out[pattern] = h
	}
	return out
}
