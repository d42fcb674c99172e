// Package metrics counts what a server does, and writes the counts in the text format that Prometheus scrapes.
//
// It has the three kinds that we use (a counter, a gauge, a histogram) and nothing else: Prometheus' own client takes half
// a millisecond of every start of the program, of every command, to initialise what a command never uses.
package metrics
