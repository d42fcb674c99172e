// Package tx is what the records of one snapshot, or of one member of a turn, share.
//
// A Tx reads: it finds projects and tasks that the caller may see by slug and id, and reads a lapsed lease as it will be
// swept. A Member writes: whatever changes a record goes through it, so that everything which follows from a change
// (its events, the task's places on the frontier, the counts of its project, what words find it) is written in the same
// turn and none can be forgotten. A Process is what turns of one process hand on to one another.
//
// The types of package store, and of the packages below it that hold one kind of record, embed a Tx or a Member.
package tx
