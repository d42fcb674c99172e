package frame

import "tasker/internal/fault"

// OnlyHere refuses what has no route: it works on a database, and not through a server.
func (f *Factory) OnlyHere(what string) error {
	if url := f.ServerURL(); url != "" {
		return fault.Decline("%s works on the database itself, and this command goes through the server at %s", what, url).
			WithHint("run it where the database is, without TASKER_URL and --server")
	}
	return nil
}
