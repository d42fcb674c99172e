// Package importer reads what other tools export and turns it into one plan.
//
//   - Each kind has its own file with a reader: bytes in, items out (beads.go, issues.go, markdown.go and so on). A
//     reader touches no disk and no database. It lists every fault with its line or record, and continues.
//   - An Item is a task as any of the tools has it. Batch.Document makes the plan of all items; Item.Ticked and the notes
//     of an item are set once the plan is applied, because a plan has no place for them.
//   - Batch.Unplaced reports what has no place anywhere.
//
// Package planning carries out an import.
package importer
