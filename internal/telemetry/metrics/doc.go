// Package metrics counts what a server does, and writes the counts in the text format that Prometheus scrapes.
//
// It has the three kinds that we use (counter, gauge, histogram) and nothing else: Prometheus' own client takes half a
// millisecond at the start of every command to initialise what a command never uses.
package metrics
