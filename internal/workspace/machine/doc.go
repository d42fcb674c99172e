// Package machine makes and removes the workspace of a task: a work tree on a branch of its own,
// ports, an environment, and the steps that prepare it. Opening behaves like a transaction.
// Everything is recorded before it is made, and a failure undoes what was made, in reverse. After a
// crash the record shows what is left: the next open, close or prune on that machine undoes a
// workspace that was opening and finishes one that was closing.
package machine
