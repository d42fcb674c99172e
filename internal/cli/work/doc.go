// Package work holds the commands for working on tasks: find the next one and claim it, keep it or give it back, tick,
// note, prove and ask along the way, and move it on.
package work
