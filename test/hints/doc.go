// Package hints walks the refusals of the command line, of HTTP and of the tools, and carries out what their hints say.
package hints
