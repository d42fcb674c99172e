// Package reading holds the commands that only read: single tasks, lists, the views of a project, the search and the
// event log.
package reading
