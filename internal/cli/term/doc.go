// Package term is the only way from the command line to a stream.
//
// A Terminal makes text inert on its way: what a terminal could obey (escape sequences, controls, changes of direction)
// is written out, so that a stored title cannot command the screen of who reads it. Colours are added by the Terminal
// alone, as the Style of a Span. Tables bend to the width of the terminal, and are printed whole where there is none.
package term
