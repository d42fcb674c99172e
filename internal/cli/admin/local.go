package admin

import "tasker/internal/cli/frame"

// onlyHere refuses what has no route: it works on a database, and not through a server.
func onlyHere(f *frame.Factory, what string) error { return f.OnlyHere(what) }
