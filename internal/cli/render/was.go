package render

import (
	"tasker/internal/cli/frame"
	"tasker/internal/core/past"
)

// Was says which moment an answer is of, where that is not now.
func Was(f *frame.Factory, was *past.Was) {
	if was == nil {
		return
	}
	cut := ""
	if was.Cut {
		cut = ", as far back as can be shown"
	}
	f.Say("As it was at %s, after event %d%s\n", was.At, was.Event, cut)
}
