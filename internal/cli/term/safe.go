package term

import "tasker/internal/text/safetext"

// Inert returns s with everything written out that a terminal could obey, or that its reader could not see. With keep,
// line breaks and tabs stay.
func Inert(s string, keep bool) string { return safetext.Inert(s, keep) }
