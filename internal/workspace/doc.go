// Package workspace has the rules, the queries and the operations of workspaces: where the work on
// a task happens, what its branch is called, and who may do what with it. Package workspace/machine
// makes and removes the files on a disk. It calls these operations before and after each of its
// steps, so that the record is always ahead of the disk. They have no route and no tool: a server
// cannot make a directory on its caller's machine.
package workspace
