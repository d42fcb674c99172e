// Package place is the domain of workspaces: where the work on a task happens, what such a place is called, and who may
// do what with it.
package place
