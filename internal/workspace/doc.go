// Package workspace has the rules, the queries and the operations of workspaces: where the work on a task happens, what its
// branch is called, and who may do what with it. Package workspace/machine makes and removes what lies on a disk. It calls
// these operations before and after each thing it does, so that the record is always ahead of the disk. They have no route
// and no tool: a server cannot make a directory on its caller's machine.
package workspace
