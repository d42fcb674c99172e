// Package importer reads what other tools export, and makes one plan of it.
//
//   - Each kind has a file of its own with a reader: bytes in, items out (beads.go, issues.go, markdown.go and so on). A
//     reader touches no disk and no database. It lists every fault with its line or record, and goes on.
//   - An Item is a task as any of the tools has it: Batch.Document makes the plan of all items, and Batch.Beside what a plan
//     has no place for and is set once the plan is applied: ticks and notes.
//   - What has no place anywhere is told: Batch.Unplaced.
//
// Package planning carries an import out.
package importer
