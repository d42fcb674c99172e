// Package dispatch delivers inbox items to the channels that this process's configuration declares: as long as a server
// runs, and after a command's answer. Package notify decides what is due and records what happened to it.
package dispatch
