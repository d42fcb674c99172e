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

	Instance, Generation int64 // which database it is, and how it was restored last: only for backups
}

// Shared is an issue that a task of each of two projects is bound to.
type Shared struct {
	Ref         string
	Task, Other task.ID
}

// Rekeyed is a key of a task that gets another one in the project that it is moved to, because there it is taken.
type Rekeyed struct {
	Key   string `json:"key"`
	To    string `json:"to"`
	Taken bool   `json:"-"` // the other one is taken too
}
