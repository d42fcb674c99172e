package query

import "tasker/internal/task"

// Record is one stored record as it is: the row of a table, by its columns. Values are int64, string or nil.
type Record struct {
	Table   string
	Columns []string
	Values  []any
}

// Dumped says which database records come from.
type Dumped struct {
	Schema    int   // version of the schema
	LastEvent int64 // newest event

	Instance, Generation int64 // which database it is, and how it was last restored: only for backups
}

// Shared is an issue that is bound to a task in each of two projects.
type Shared struct {
	Ref         string
	Task, Other task.ID
}

// Rekeyed is a task's key that must change when the task moves to another project, because it is taken there.
type Rekeyed struct {
	Key   string `json:"key"`
	To    string `json:"to"`
	Taken bool   `json:"-"` // the new key is taken too
}
