// Package workspace records where the work on tasks happens. What is made on a disk is made by package workspace, which calls
// these operations before and after each thing it does, so that the record is always ahead of the disk. They have no route
// and no tool: a server cannot make a directory on its caller's machine.
package workspace
