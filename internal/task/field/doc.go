// Package field generates the code that treats the fields of records one by one: columns, statements, reading and
// writing of rows, equality, JSON. The table of a record's fields is its declaration in package task, and a field's line
// there says everything once:
//
//	Due Opt `json:"due" db:"due,set=definition,moment=due_at"`
//
// The db tag names the column, and then how it is used:
//
//	set=GROUP      it is written by the UPDATE of this group; groups are written together
//	guard          the UPDATE of its group finds the row only while this column is as it was before
//	ref            it names another task of the project; null for none
//	slug           it is the project's slug; a column, if there is one, has the project's id
//	given          the code that writes the row supplies the value of the column; the record does not have it
//	not            the column says the opposite
//	repeated       consecutive rows mostly have the same value
//	moment=COLUMN  a second column holds the moment that the text means
//
// A field without a column that is a record itself (Claim, Counts) brings the columns of its own fields. table.go says
// which records are stored, and in which forms they are read.
//
// On a field of Task, two more tags say what people and documents do with it:
//
//	plan:"settable"    documents, new tasks and edits can set it; plan/fields.go says what it may be. With as=TYPE it has
//	                   another type there, and with apart package plan carries it over by code of its own
//	label:"preferred"  it is shown under this label, on the task's page and by tasker show, where it is not empty
//
// A type anywhere below internal whose comment ends with //field:json gets a method Members, which writes it without
// reflection as its json tags say (see strict.Writer). Nearly every answer is made of a few records, and writing them by
// reflection would cost more than reading them (bench: next, ready, board). Words behind the mark ask for more:
//
//	marshal  a MarshalJSONTo, for records inside something that reflection writes
//	answer   an Answer, for what operations return as a whole
//	shared   an answer may contain the same value twice; then it is written once and copied
//
// CONTRIBUTING.md has the steps that add a field to a task.
//
// `go generate ./...` writes the files; a test fails while they are not current.
package field

//go:generate go run -C ../../.. tasker/internal/task/field/gen
