// Package term is the only way from the command line to a stream.
//
// A Terminal makes text inert before it prints it: it writes out what a terminal could obey (escape sequences,
// controls, changes of direction), so that a stored title cannot control the reader's screen. Only the Terminal adds
// colours, as the Style of a Span. Tables adapt to the width of the terminal, and are printed in full if there is none.
package term
