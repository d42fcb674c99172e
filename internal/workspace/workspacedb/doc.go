// Package workspacedb reads and writes where work happens: workspaces with their ports, and where the work on closed tasks is.
package workspacedb
