package admin

import (
	"tasker/internal/cli/frame"
	"tasker/internal/fault"
)

// onlyHere refuses what has no route: it works on a database, and not through a server.
func onlyHere(f *frame.Factory, what string) error {
	if url := f.ServerURL(); url != "" {
		return fault.Decline("%s works on the database itself, and this command goes through the server at %s", what, url).
			WithHint("run it where the database is, without TASKER_URL and --server")
	}
	return nil
}
