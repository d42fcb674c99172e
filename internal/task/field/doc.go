// Package field generates the code that treats the fields of records one by one: columns, statements, reading and
// writing of rows, equality. The table of a record's fields is its declaration in package task, and a field's line
// there says everything once:
//
//	Due Opt `json:"due" db:"due,set=definition,moment=due_at"`
//
// The db tag names the column, and then how it is used:
//
//	set=GROUP      it is written by the UPDATE of this group; groups are written together
//	guard          the UPDATE of its group finds the row only while this column is as it was before
//	ref            it names another task of the project; null for none
//	slug           it is the project's slug, which has no column
//	not            the column says the opposite
//	repeated       row after row mostly says the same
//	moment=COLUMN  a second column has the moment that the text means
//
// A field without a column that is a record itself (Claim, Counts) brings the columns of its own fields. Which records
// are stored, and in which forms they are read, is in table.go.
//
// `go generate ./...` writes the files; a test fails while they are not current.
package field

//go:generate go run tasker/internal/task/field/gen
