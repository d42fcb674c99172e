package web

import (
	"tasker/internal/fault"
	"tasker/internal/text/words"
)

func (s *site) help(*asker, *shown) any { return nil }

func (s *site) lost(a *asker, _ *shown) any {
	a.err = fault.Missing("there is no page %s", words.Cut(a.r.URL.Path, 200)).WithHint("search for what it was about, or begin with the projects at /")
	return nil
}
