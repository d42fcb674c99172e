package web

import (
	"context"
	"net/http"
	"time"

	"tasker/internal/core/picture"
	"tasker/internal/op"
)

// Options is what the pages are made from. Ops, Newest and Now are required.
type Options struct {
	Ops    op.Caller
	Newest func(context.Context) (int64, error) // the id of the newest event
	Now    func() time.Time
	// Network reads the graph of a whole project; Timeline what was held when. Without them these pages are not there.
	Network  func(context.Context, picture.NetworkIn) (*picture.NetworkOut, error)
	Timeline func(context.Context, picture.TimelineIn) (*picture.TimelineOut, error)
	Version  string // of the binary
}

// Handler is a route; an error that it returns is answered by whoever mounts it.
type Handler = func(http.ResponseWriter, *http.Request) error

// site serves the pages.
type site struct {
	Options
	pages map[string]*pageTemplate
}

// Routes returns every page by its mux pattern. All of them are reads.
func Routes(o Options) map[string]Handler {
	s := &site{Options: o}
	s.pages = s.parse()
	routes := map[string]Handler{
		"GET /{$}":                  s.page("estate", s.estate),
		"GET /search":               s.page("search", s.search),
		"GET /help":                 s.page("help", s.help),
		"GET /t/{id}":               s.page("task", s.task),
		"GET /p/{slug}":             s.page("overview", s.overview),
		"GET /p/{slug}/board":       s.page("board", s.board),
		"GET /p/{slug}/work":        s.page("work", s.work),
		"GET /p/{slug}/machine":     s.page("machine", s.machine),
		"GET /p/{slug}/proof":       s.page("proof", s.proof),
		"GET /p/{slug}/bottlenecks": s.page("bottlenecks", s.bottlenecks),
		"GET /p/{slug}/events":      s.page("events", s.events),
		"GET /p/{slug}/inbox":       s.page("inbox", s.inbox),
		"GET /p/{slug}/sync":        s.page("sync", s.sync),
		"GET /p/{slug}/tasks":       s.page("tasks", s.tasks),
		"GET /p/{rest...}":          s.page("lost", s.lost),
		"GET /t/{rest...}":          s.page("lost", s.lost),
		"GET /assets/{hash}/{name}": asset,
		"GET /favicon.ico":          favicon,
	}
	if o.Network != nil {
		routes["GET /p/{slug}/graph"] = s.page("graph", s.graph)
		routes["GET /p/{slug}/graph/{file}"] = s.graphFile
	}
	if o.Timeline != nil {
		routes["GET /p/{slug}/timeline"] = s.page("timeline", s.timeline)
	}
	return routes
}
