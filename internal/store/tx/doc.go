// Package tx is what the records of one snapshot, or of one member of a turn, share.
//
// A Tx reads: it finds the projects and tasks that the caller may see by slug and id, and reads a lapsed claim as it
// will be swept. A Member writes: every change of a record goes through it, so that all that follows from the change
// (its events, the task's places on the frontier, the counts of its project, the text index) is written in the same
// turn and nothing can be forgotten. A Process is what the turns of one process hand on to one another.
//
// The types of package store, and of the packages below it that hold one kind of record, embed a Tx or a Member.
package tx
