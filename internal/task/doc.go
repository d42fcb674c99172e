// Package task is the domain: what a task, a claim, an approval and an event are, and every rule about them, as plain
// functions without input or output. Time, identity and configuration are arguments. The types define the wire format:
// a route answers with them as they are.
package task
