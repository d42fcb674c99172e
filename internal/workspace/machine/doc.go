// Package machine makes a ready place to work for a task and clears it away again: a work tree on a branch of its own,
// ports, an environment, and the steps that prepare it. Opening is one transaction in spirit. Everything is recorded
// before it is made; a failure undoes what was made, in reverse; and what a crash leaves is found by its record and undone
// (it was opening) or finished (it was closing) by the next open, close or prune on that machine.
package machine
