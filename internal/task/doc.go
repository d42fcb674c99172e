// Package task is the domain: what a task, a claim, an approval and an event are, and every rule about them, as
// plain functions without input or output. Time, identity and configuration come in as values. The types carry
// the wire format: what a route answers is one of them, rendered as it is.
package task
