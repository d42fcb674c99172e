// Package work holds the commands of who works on tasks: find the next one and claim it, keep it or give it back,
// tick, note, prove and ask along the way, and move it on.
package work
