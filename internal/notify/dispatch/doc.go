// Package dispatch delivers inbox items to the channels that the configuration of this process declares: for as long as a
// server runs, and after the answer of a command. Package notify decides what is due and records what became of it.
package dispatch
