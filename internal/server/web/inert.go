package web

import (
	"bytes"

	"tasker/internal/text/safetext"
)

// inert returns a page with everything written out that its reader could not see or that would display it in another
// order, as the terminal output does: \x1b, \u202e. html/template escapes what a browser would obey, but leaves such
// characters. Line breaks and tabs stay; the CR of CR LF is dropped.
func inert(page []byte) []byte {
	text := string(bytes.ReplaceAll(page, []byte("\r\n"), []byte("\n")))
	if out := safetext.Inert(text, true); out != string(page) {
		return []byte(out)
	}
	return page
}
