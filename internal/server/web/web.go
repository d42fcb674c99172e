package web

import (
	"net/http"
	"runtime"
	"time"

	"tasker/internal/op"
)

// Options configures the pages. Ops and Now are required.
type Options struct {
	Ops     op.Caller // must also carry out operations that have no route
	Now     func() time.Time
	Version string // of the binary
}

// Handler is a route; the caller that mounts it answers its errors.
type Handler = func(http.ResponseWriter, *http.Request) error

// site serves the pages.
type site struct {
	Options
	pages map[string]func() *pageTemplate
	large chan struct{} // a token for each picture being written
}

// Lost is the pattern of the not-found page. A server that has other routes too shows it only to browsers.
const Lost = "GET /{rest...}"

// Routes returns every page by its mux pattern. All of them are reads.
func Routes(o Options) map[string]Handler {
	s := &site{Options: o, large: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
	s.pages = s.parse()
	return map[string]Handler{
		"GET /{$}":                   s.page("estate", "Projects", s.first),
		"GET /search":                s.page("search", "Search", s.search),
		"GET /help":                  s.page("help", "Help", s.help),
		"GET /t/{id}":                s.page("task", "", s.task),
		"GET /p/{slug}":              s.page("overview", "", s.overview),
		"GET /p/{slug}/board":        s.page("board", "Board", s.board),
		"GET /p/{slug}/work":         s.page("work", "Work", s.work),
		"GET /p/{slug}/machine":      s.page("machine", "Workers", s.machine),
		"GET /p/{slug}/proof":        s.page("proof", "Proof", s.proof),
		"GET /p/{slug}/bottlenecks":  s.page("bottlenecks", "Work by what it holds up", s.bottlenecks),
		"GET /p/{slug}/events":       s.page("events", "Events", s.events),
		"GET /p/{slug}/inbox":        s.page("inbox", "Inbox", s.inbox),
		"GET /p/{slug}/sync":         s.page("sync", "Sync", s.sync),
		"GET /p/{slug}/conflicts":    s.page("conflicts", "Conflicts", s.conflicts),
		"GET /p/{slug}/tasks":        s.page("tasks", "Tasks", s.tasks),
		"GET /p/{slug}/timeline":     s.page("timeline", "Timeline", s.timeline),
		"GET /p/{slug}/graph":        s.page("graph", "Graph", s.graph),
		"GET /p/{slug}/graph/{file}": s.graphFile,
		"GET /p/{slug}/{rest...}":    s.page("refused", "", s.lost),
		"GET /assets/{hash}/{name}":  asset,
		"GET /favicon.ico":           favicon,
		Lost:                         s.page("refused", "", s.lost),
	}
}
