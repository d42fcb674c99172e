// Package hints walks the refusals of the command line, of HTTP and of the tools, on both databases, and carries out what
// their hints say. The refusals are read from the source, so that none is forgotten.
package hints
